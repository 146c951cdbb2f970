import { expect, test } from '@jest/globals';
import { createScrubbingLogger, scrubFields } from '../../lib/engine/credentials.ts';

const scrub = <Value>(value: Value): Value => {
  const text = JSON.stringify(value);
  return text.includes('canary') ? JSON.parse(text.replaceAll('canary', '[redacted]')) : value;
};

// holds: S13
test.each(['debug', 'info', 'warn', 'error'] as const)('an entry of the level %s has no secret', (level) => {
  const entries: unknown[] = [];
  const write =
    (name: string) =>
    (...entry: unknown[]) =>
      entries.push([name, ...entry]);
  const logger = createScrubbingLogger(
    { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
    scrub,
  );
  logger[level]('sent canary', { token: ['canary'], n: 1 });
  logger[level](7 as never);
  expect(entries).toEqual([
    [level, 'sent [redacted]', { token: ['[redacted]'], n: 1 }],
    [level, '7', undefined],
  ]);
});

test('fields without a secret are logged as they are', () => {
  const fields = { at: new Date(0), error: new Error('no') };
  expect(scrubFields(fields, scrub)).toBe(fields);
});

test('fields are searched as they are written: errors with code and cause, large integers, toJSON', () => {
  const error = Object.assign(new RangeError('no canary', { cause: new Error('canary 2') }), { code: 'E_1' });
  const fields = { error, count: 12n, odd: { toJSON: () => 'canary 3' } };
  expect(scrubFields(fields, scrub)).toEqual({
    error: {
      name: 'RangeError',
      message: 'no [redacted]',
      code: 'E_1',
      cause: { name: 'Error', message: '[redacted] 2' },
    },
    count: '12',
    odd: '[redacted] 3',
  });
});

test('fields that cannot be searched are not logged', () => {
  const circle: Record<string, unknown> = { token: 'canary' };
  circle.self = circle;
  expect(scrubFields(circle, scrub)).toEqual({ fields: '[cannot be written as JSON]' });
});
