import { expect, test } from '@jest/globals';
import type { AwsAnswer } from '../../../lib/adapters/aws/aws-caller.ts';
import { createQuestions } from '../doctor/ask-functions.ts';

/** What the doctor says of a function whose log ends with an error of these causes, the last one first. */
const explain = (...causes: readonly string[]) => {
  const cause = causes.reduce<object | undefined>(
    (inner, message) => ({ message, ...(inner === undefined ? {} : { cause: inner }) }),
    undefined,
  );
  const log = JSON.stringify({ level: 'error', message: 'request', cause });
  const answer: AwsAnswer = {
    status: 200,
    body: Buffer.from('{"statusCode":503}'),
    tries: 1,
    throttles: 0,
    headers: { 'x-amz-log-result': Buffer.from(log).toString('base64') },
  };
  const doctor = { prefix: 'hookloom-dev', open: () => async () => answer };
  return createQuestions({ doctor, io: { now: () => 0 }, origin: null }).explain(
    'webhook',
    {},
    'express: 503',
  );
};

test('the doctor names the table that is missing, not only what callers are told', async () => {
  const missing =
    'DynamoDB answered 400 {"__type":"ResourceNotFoundException","message":"Requested resource not found"}';
  expect(await explain(missing, 'The store is unavailable; nothing was started. Try again.')).toMatchObject({
    status: 'wrong',
    message: `express: 503: request The store is unavailable; nothing was started. Try again. ${missing}`,
  });
});
