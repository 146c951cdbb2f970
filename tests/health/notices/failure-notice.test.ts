import { describe, expect, test } from '@jest/globals';
import { toFailureNotice } from '../../../lib/health/notices/failure-notice.ts';
import { NOW } from '../../support/notice-store-suite.ts';

const noticeOf = (message: string) =>
  toFailureNotice({
    executionId: 'e-1',
    workflowId: 'orders',
    endedAt: NOW,
    failure: { nodeId: 'pay', name: 'NodeError', message },
  });

const causeOf = (message: string) => noticeOf(message).cause.slice('pay NodeError '.length);

describe('failures have the same cause', () => {
  test.each([
    ['a number', 'order 17 is late', 'order … is late'],
    ['a number that could be a status', 'order 404 is late', 'order … is late'],
    ['an id', 'no 5f0c-9a1b, no A-17!', 'no …, no …!'],
    ['a time', 'not before 2026-01-02T03:04:05.000Z', 'not before …:…:….…'],
    ['a quoted value', `"Ann O'Neil" and 'Bob' and \`x\` and “y”`, '… and … and … and …'],
    ['an address of mail', 'no mailbox ann.lee@example.com here', 'no mailbox … here'],
    [
      'the query of a URL',
      'GET https://shop.example.com/a?token=x#y failed',
      'GET https://shop.example.com/a failed',
    ],
  ])('but for %s', (_what, message, cause) => {
    expect(causeOf(message)).toBe(cause);
  });

  test.each([
    ['the status of an answer', 'api.example.com answered 404: no', 'api.example.com answered 404: no'],
    ['the path of a URL', 'https://shop.example.com/a failed', 'https://shop.example.com/a failed'],
    ['an apostrophe', "can't pay, won't pay", "can't pay, won't pay"],
  ])('and differ in %s', (_what, message, cause) => {
    expect(causeOf(message)).toBe(cause);
  });
});

test('a notice has no secret, no line break and no control character', () => {
  const { message } = noticeOf('refused:\r\n\tBearer abcdefghijklmnop \u0000\u001b[31m');
  expect(message).toBe('NodeError: refused: Bearer [redacted] [31m');
});

test('a failure without a known node or message has a notice, too', () => {
  const failure = { executionId: 'e-1', workflowId: 'orders', endedAt: NOW };
  expect(toFailureNotice({ ...failure, failure: null })).toMatchObject({ message: 'Error', cause: 'Error' });
  expect(noticeOf('')).toMatchObject({ message: 'NodeError', cause: 'pay NodeError' });
});

test.each(['"', "'", '“', '`', 'a', '1', '@', '?', 'https://'])(
  'a message of a million %s takes no time',
  (part) => {
    expect(noticeOf(part.repeat(1_000_000)).message.length).toBeLessThanOrEqual(1_100);
  },
);
