import type { IncomingHttpHeaders } from 'node:http';
import { isPlainObject } from '@hookloom/plugin-kit';
import { tryJson } from '../../shared/try-json.ts';

export interface HttpAnswer {
  readonly status: number;
  /** Headers of the response, with lower-case names. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The error type in an answer from AWS, such as `ResourceNotFoundException`; empty if there is none. */
export const errorTypeOf = ({ headers, body }: HttpAnswer): string => {
  const header = headers['x-amzn-errortype'];
  if (typeof header === 'string') return nameOfErrorType(header);
  const { __type, Type } = readObject(body.toString());
  return typeof __type === 'string' ? nameOfErrorType(__type) : typeof Type === 'string' ? Type : '';
};

/** Reads a JSON object; empty for any other text. */
export const readObject = (text: string): Readonly<Record<string, unknown>> => {
  const value = tryJson(text);
  return isPlainObject(value) ? value : {};
};

/** Returns the name in `com.amazonaws.lambda#TooManyRequestsException:http://…`. */
const nameOfErrorType = (text: string): string => text.split(':')[0]?.split('#').at(-1) ?? '';

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

/** The sentence of AWS that reports a denial. Also matches in JSON, in log lines with escaped quotes, and in XML. */
const SENTENCE =
  /(?:User: (\S{1,300}) is )?not authorized to perform: ([\w:*-]{1,100})(?: on resource: (?:\\?"|&quot;)?([^\s"\\<&}]{1,500})(?:\\?"|&quot;)?)?(?: ((?:because|with) [^"\\<}]{1,300}))?/;

/**
 * Adds IAM's refusal to the message of an error that it caused; returns any other error unchanged. For Lambda, which
 * keeps only the message of an invocation's error and shows it only to callers of its API.
 */
export const withDenial = (error: unknown): unknown => {
  const { message, cause } = error instanceof Error ? error : { message: '', cause: null };
  const denial = cause instanceof Error ? findDenial(cause.message) : null;
  return denial === null ? error : new Error(`${message} ${denial.sentence}`, { cause });
};

/** Finds the first refusal of IAM in a text. https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html */
export const findDenial = (text: string) => {
  // Without a user, the sentence begins at the action; the reason is `because …` or `with an explicit deny …`.
  const [sentence, user = null, action, resource = null, reason = null] = SENTENCE.exec(text) ?? [];
  return sentence === undefined || action === undefined ? null : { sentence, user, action, resource, reason };
};
