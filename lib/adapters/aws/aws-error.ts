import type { HttpAnswer } from './connection.ts';
import { findDenial } from './denial.ts';

/** The error type in an answer from AWS, such as `ResourceNotFoundException`; empty if there is none. */
export const errorTypeOf = ({ headers, body }: HttpAnswer): string => {
  const header = headers['x-amzn-errortype'];
  if (typeof header === 'string') return nameOf(header);
  try {
    const { __type, Type } = JSON.parse(body.toString());
    return typeof __type === 'string' ? nameOf(__type) : typeof Type === 'string' ? Type : '';
  } catch {
    return '';
  }
};

/** The name in `com.amazonaws.lambda#TooManyRequestsException:http://…`. */
const nameOf = (text: string): string => text.split(':')[0]?.split('#').at(-1) ?? '';

const THROTTLING = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
]);

/** DynamoDB and EventBridge throttle with 400, Lambda with 429, S3 with 503. */
export const isThrottled = (answer: HttpAnswer): boolean =>
  answer.status === 429 || (answer.status === 400 && THROTTLING.has(errorTypeOf(answer)));

/** How many bytes of a response are searched for IAM's sentence about the denial. */
const MAX_DENIAL = 1_000;

/**
 * The cause of one of our errors, for the log only. From the body it takes only IAM's sentence about what was denied,
 * since other text may repeat a value, such as a wrong session token.
 */
export const toCause = (answer: HttpAnswer): Error => {
  const denial = findDenial(answer.body.toString('utf8', 0, MAX_DENIAL));
  return new Error(
    `AWS answered ${answer.status} ${errorTypeOf(answer)} ${denial?.sentence ?? ''}`.trimEnd(),
  );
};

export const isSuccess = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300;
