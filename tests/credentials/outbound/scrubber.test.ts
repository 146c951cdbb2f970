import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createScrubber } from '../../../lib/credentials/outbound/scrubber.ts';
import { formsOf } from '../../support/secret-forms.ts';

const SECRET = 'p4ss/w+rd "ünd" &=?~\n\\end';

const aScrubber = (...secrets: string[]) => {
  const scrubber = createScrubber();
  for (const secret of secrets) scrubber.learn(secret);
  return scrubber;
};

describe('a secret is removed', () => {
  test.each(Object.entries(formsOf(SECRET)))('%s', (_form, text) => {
    const scrubbed = aScrubber(SECRET).scrub(`before ${text} after`);
    expect(scrubbed).toContain('[redacted]');
    expect(scrubbed).toMatch(/^before .* after$/);
    // Of base64, what the bytes around it decide may stay: two characters at each end.
    expect(scrubbed.length).toBeLessThanOrEqual('before [redacted] after'.length + 8);
  });

  test('from texts, keys, lists and numbers, at any depth', () => {
    const scrubber = aScrubber('secret-1', '12345678');
    expect(
      scrubber.scrub({ a: ['x secret-1 y', { 'key-secret-1': 12345678, other: 1234 }], b: null, c: true }),
    ).toEqual({ a: ['x [redacted] y', { 'key-[redacted]': '[redacted]', other: 1234 }], b: null, c: true });
  });

  test('when it is part of a longer one that is known too', () => {
    expect(aScrubber('secret', 'secret-and-more').scrub('a secret-and-more b secret c')).toBe(
      'a [redacted] b [redacted] c',
    );
  });

  test('line by line, when it has long lines', () => {
    const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC';
    expect(aScrubber(`-----BEGIN-----\n${line}\n-----END-----`).scrub(`first: ${line}`)).toBe(
      'first: [redacted]',
    );
  });

  test('wherever it stands, in any encoding (any secret)', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 6, maxLength: 60 }),
        fc.string(),
        fc.string(),
        fc.integer({ min: 0, max: 2 }),
        (secret, before, after, offset) => {
          const { scrub } = aScrubber(secret);
          expect(scrub(`${before}${secret}${after}`).includes(secret)).toBe(false);
          const prefix = 'x'.repeat(offset);
          const encoded = Buffer.from(`${prefix}${secret}zz`).toString('base64');
          expect(scrub(encoded)).not.toBe(encoded);
        },
      ),
    );
  });
});

describe('a value without secrets', () => {
  test('is the value itself', () => {
    const value = Object.freeze({ a: Object.freeze(['b', 1, null]) });
    expect(aScrubber('secret-1').scrub(value)).toBe(value);
  });

  test('is searched again when another secret is known', () => {
    const scrubber = aScrubber('secret-1');
    const value = Object.freeze({ a: 'the secret-2' });
    expect(scrubber.scrub(value)).toBe(value);
    scrubber.learn('secret-2');
    expect(scrubber.scrub(value)).toEqual({ a: 'the [redacted]' });
  });
});

test('derived secrets are kept up to a number, those of credentials always', () => {
  const scrubber = aScrubber('credential');
  for (let count = 0; count <= 100; count++) scrubber.learnDerived(`derived-${count}-`);
  expect(scrubber.scrub('credential derived-0- derived-1- derived-100-')).toBe(
    '[redacted] derived-0- [redacted] [redacted]',
  );
});
