import { describe, expect, test } from '@jest/globals';
import { hintsAtOverflow, hintsAtPrototype } from '../../lib/http/parse-json-body.ts';

describe('JSON hints', () => {
  test.each([
    '{"__proto__":1}',
    '{"constructor":1}',
    '{"_\\u005Fproto__":1}',
    '{"__p\\u0072oto__":1}',
    '{"\\u0063onstructor":1}',
    '{"construct\\u006fr":1}',
    '["about __proto__"]',
  ])('find a prototype: %s', (text) => {
    expect(hintsAtPrototype(text)).toBe(true);
  });

  test.each(['{"proto":1}', '{"prototype":1}', '["\\u003ca href=\\u0026\\u003e"]', '["\\u00e9\\u0000"]'])(
    'find no prototype: %s',
    (text) => {
      expect(hintsAtPrototype(text)).toBe(false);
    },
  );

  test.each([
    '1e309',
    '[1E+309]',
    '{"a":-1.5e0400 }',
    '[9e999,1]',
    '9'.repeat(309),
    `[${'9'.repeat(210)}e99]`,
  ])('find an overflow: %s', (text) => {
    expect(hintsAtOverflow(text)).toBe(true);
  });

  test.each([
    '[1e99,1E+22,2.5]',
    '1e-400',
    '9'.repeat(209),
    '["356a192b7913b04c54574d18c28d9e12395428ab"]',
    '["b3f9e123","550e8400-e29b-41d4-a716-446655440000"]',
  ])('find no overflow: %s', (text) => {
    expect(hintsAtOverflow(text)).toBe(false);
  });

  test('do not flag the largest finite number', () => {
    expect(Number(`${'9'.repeat(209)}e99`)).toBeLessThan(Number.POSITIVE_INFINITY);
  });
});
