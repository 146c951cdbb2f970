import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import type { CallAws } from '../../../lib/adapters/aws/aws-caller.ts';
import { errorTypeOf, isSuccess, readObject, toCause } from '../../../lib/adapters/aws/aws-error.ts';
import type { createLambdaPing } from '../../../lib/adapters/aws/lambda-ping.ts';

/** The admin API as the doctor calls it. A call throws an error with the `code` of the problem that it got. */
export interface DoctorApi {
  call<Body>(
    method: string,
    path: string,
    request?: { readonly query?: Readonly<Record<string, string | number>>; readonly body?: unknown },
  ): Promise<Body>;
  /** All pages of a list. @param key - of the entries in the answer */
  list<Entry>(path: string, key: string, query?: Readonly<Record<string, string>>): Promise<readonly Entry[]>;
}

/** The doctor's own parts: direct access to the AWS APIs. */
export interface DoctorParts {
  /** Prefix of the names of the stage's resources: `SERVICE-STAGE`. */
  readonly prefix: string;
  /** Whether the stage is local: checks of AWS-only resources are skipped. */
  readonly isLocal: boolean;
  /** @param service - as in an endpoint's host name */
  readonly open: (service: string) => CallAws;
  readonly ping: ReturnType<typeof createLambdaPing>;
}

/** AWS refused a call that the command line itself made. */
export class AwsRefusal extends Error {
  readonly type: string;
  /** What AWS says; null if it does not. */
  readonly reason: string | null;

  constructor(type: string, cause: Error, reason: string | null = null) {
    super(cause.message);
    this.type = type;
    this.reason = reason;
  }

  get isDenied(): boolean {
    return /AccessDenied|not authorized to perform/.test(`${this.type} ${this.message}`);
  }

  /** Error type of an API that stands in for AWS and lacks the operation. */
  get isUnsupported(): boolean {
    return /UnknownOperation|NotImplemented/.test(this.type);
  }
}

/** Calls an operation of the JSON protocol. @param target - such as `AmazonSQS.GetQueueUrl` @throws AwsRefusal */
export const askJson = async (call: CallAws, target: string, input: object): Promise<JsonObject> => {
  const headers = {
    'content-type': `application/x-amz-json-${/^(AWSEvents|ServiceQuotas)/.test(target) ? '1.1' : '1.0'}`,
    'x-amz-target': target,
  };
  const answer = await call({ method: 'POST', path: '/', headers, body: JSON.stringify(input) });
  return readAwsAnswer(answer);
};

/** Sends a GET request to a REST API of AWS. @throws AwsRefusal */
export const askRest = async (call: CallAws, path: string): Promise<JsonObject> =>
  readAwsAnswer(await call({ method: 'GET', path }));

const readAwsAnswer = (answer: Awaited<ReturnType<CallAws>>): JsonObject => {
  const text = answer.body.toString();
  if (!isSuccess(answer)) {
    const cause =
      answer.status === 400 ? new Error(`AWS answered 400 ${text.slice(0, 500)}`) : toCause(answer);
    throw new AwsRefusal(errorTypeOf(answer), cause, readReason(text));
  }
  const content: unknown = JSON.parse(text);
  return isPlainObject(content) ? (content as JsonObject) : {};
};

const readReason = (text: string): string | null => {
  const { message, Message = message } = readObject(text);
  return typeof Message === 'string' ? Message.slice(0, MAX_REASON) : null;
};

const MAX_REASON = 500;
