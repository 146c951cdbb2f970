import { expect, test } from '@jest/globals';
import { checkTimestamp } from '../../../../lib/webhooks/features/signature/timestamp.ts';

const NOW = Date.UTC(2023, 10, 14, 22, 13, 20); // 1,700,000,000 seconds

test.each([
  '1700000000',
  '1700000000000',
  '1699999700',
  '1700000300',
  '1700000300999',
  '2023-11-14T22:13:20Z',
  '2023-11-14T22:13:20.1Z',
  '2023-11-14T22:13:20.123456789Z',
  '2023-11-14T23:13:20+01:00',
  '2023-11-14T17:13:20-05:00',
])('%s is now, in five minutes', (text) => {
  expect(() => checkTimestamp(text, NOW, {})).not.toThrow();
});

test.each([
  ['1699999699', 'the timestamp is 5 minutes old'],
  ['1700000301', 'the timestamp is 5 minutes ahead'],
  ['1700007200000', 'the timestamp is 120 minutes ahead'],
  ['99999999999', 'the timestamp is not a valid time'],
  ['100000000000', 'the timestamp is not a valid time'],
  ['999999999999999', 'the timestamp is not a valid time'],
  ['01700000000', 'the timestamp is not a valid time'],
  ['0170000000', 'the timestamp is not a valid time'],
  ['0001700000000', 'the timestamp is not a valid time'],
  ['170000000', 'the timestamp is not a valid time'],
  ['\u0661\u0667\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660', 'the timestamp is not a valid time'],
  ['1700000000\n', 'the timestamp is not a valid time'],
  ['1000000000000000', 'the timestamp is not a valid time'],
  ['', 'the timestamp is not a valid time'],
  ['-1700000000', 'the timestamp is not a valid time'],
  ['1700000000.5', 'the timestamp is not a valid time'],
  ['x1700000000', 'the timestamp is not a valid time'],
  ['2023-11-14', 'the timestamp is not a valid time'],
  ['2023-11-14T22:13:20', 'the timestamp is not a valid time'],
  ['2023-11-14T22:13:20.Z', 'the timestamp is not a valid time'],
  ['2023-11-14T22:13:20.1234567890Z', 'the timestamp is not a valid time'],
  ['2023-11-14T22:13:20+0100', 'the timestamp is not a valid time'],
  ['x2023-11-14T22:13:20Z', 'the timestamp is not a valid time'],
  ['2023-11-14T22:13:20Zx', 'the timestamp is not a valid time'],
  ['2023-13-14T22:13:20Z', 'the timestamp is not a valid time'],
  ['2023-11-31T22:13:20Z', 'the timestamp is not a valid time'],
])('%s is refused: %s', (text, reason) => {
  expect(() => checkTimestamp(text, NOW, {})).toThrow(new Error(reason));
});

test.each([
  [119_000, '119 seconds'],
  [120_000, '2 minutes'],
])(
  'a timestamp of %d milliseconds ago is refused in %s, beyond the tolerance of the sender',
  (age, described) => {
    expect(() => checkTimestamp(String(NOW - age), NOW, { toleranceSeconds: 10 })).toThrow(
      `the timestamp is ${described} old`,
    );
  },
);

const forms = {
  seconds: '1700000000',
  milliseconds: '1700000000000',
  iso8601: '2023-11-14T22:13:20Z',
} as const;

test.each(Object.keys(forms) as (keyof typeof forms)[])(
  '%s are the only form where they are asked for',
  (format) => {
    for (const [name, text] of Object.entries(forms)) {
      const check = () => checkTimestamp(text, NOW, { timestampFormat: format });
      if (name === format) expect(check).not.toThrow();
      else expect(check).toThrow('the timestamp is not a valid time');
    }
  },
);
