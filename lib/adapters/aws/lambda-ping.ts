import { setTimeout as sleep } from 'node:timers/promises';
import { isPong, PING, type Pong } from '../../health/ping.ts';
import { tryJson } from '../../shared/try-json.ts';
import { type AwsAnswer, type CallAws, postJson } from './aws-caller.ts';
import { errorTypeOf, findDenial, isSuccess, readObject } from './aws-error.ts';
import { toDurablePath, toStopRequest } from './lambda-durable-service.ts';

/**
 * Why there is no response: the function failed or does not exist, the caller may not invoke it, or Lambda throttles or
 * does not respond.
 */
type PingProblem = 'failed' | 'missing' | 'denied' | 'throttled' | 'silent';

export type PingAnswer =
  | {
      readonly pong: Pong;
      /**
       * When the function was invoked and when it responded, by the caller's clock, in milliseconds since the epoch.
       */
      readonly askedAt: number;
      readonly answeredAt: number;
      /** The time by AWS's clock, in whole seconds; null if AWS does not report it. */
      readonly awsTime: number | null;
    }
  | { readonly problem: PingProblem; readonly reason: string };

interface PingOptions {
  /** Prefix of the functions' names: `SERVICE-STAGE`. */
  readonly prefix: string;
  readonly nextName: () => string;
  readonly now: () => number;
}

/** A durable function with a longer timeout can't be invoked synchronously. */
const DURABLE = 'runDurable';

const POLL_MS = 200;

/**
 * Pings the functions of a stage. The function for durable runs is pinged by its alias, with a separate execution that
 * is stopped if there is no response.
 *
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export const createLambdaPing =
  (call: CallAws, { prefix, nextName, now }: PingOptions) =>
  async (functionKey: string, deadlineMs: number): Promise<PingAnswer> => {
    const isDurable = functionKey === DURABLE;
    const askedAt = now();
    const read = (pong: unknown, { headers: { date } }: AwsAnswer): PingAnswer => {
      const awsTime = date === undefined ? null : Date.parse(date);
      if (isPong(pong)) return { pong, askedAt, answeredAt: now(), awsTime };
      // A function whose version does not support pings handles it as an ordinary event.
      return { problem: 'failed', reason: 'it does not support pings: its version is older' };
    };
    const name = isDurable ? `${prefix}-${functionKey}:durable` : `${prefix}-${functionKey}`;
    const request = postJson(`/2015-03-31/functions/${encodeURIComponent(name)}/invocations`, PING, {
      'x-amz-invocation-type': isDurable ? 'Event' : 'RequestResponse',
      ...(isDurable ? { 'x-amz-durable-execution-name': `ping-${nextName()}` } : {}),
    });
    const answer = await call(request).catch((error: Error) => error);
    if (answer instanceof Error) return { problem: 'silent', reason: answer.message };
    if (!isSuccess(answer)) return toRefusedPing(answer);
    if (isDurable) return awaitDurable(answer, call, deadlineMs, now, read);
    const content = tryJson(answer.body.toString());
    if (answer.headers['x-amz-function-error'] !== undefined) return toFailedPing(content);
    return read(content, answer);
  };

const awaitDurable = async (
  { headers }: AwsAnswer,
  call: CallAws,
  deadlineMs: number,
  now: () => number,
  read: (content: unknown, answer: AwsAnswer) => PingAnswer,
): Promise<PingAnswer> => {
  const arn = String(headers['x-amz-durable-execution-arn']);
  for (const endsAt = now() + deadlineMs; now() < endsAt; await sleep(POLL_MS)) {
    const answer = await call({ method: 'GET', path: toDurablePath(arn) }).catch(() => null);
    if (answer !== null && !isSuccess(answer)) return toRefusedPing(answer);
    const { Status, Result, Error: error } = readObject(answer?.body.toString() ?? '');
    if (answer !== null && Status === 'SUCCEEDED') return read(tryJson(String(Result)), answer);
    if (Status !== undefined && Status !== 'RUNNING') return toFailedPing(error);
    // When a function can't start, each invocation fails and Lambda retries: the execution itself stays open.
    const reason = await findDurableFailure(arn, call);
    if (reason === null) continue;
    await stopPing(arn, call);
    return { problem: 'failed', reason };
  }
  await stopPing(arn, call);
  return { problem: 'silent', reason: `no answer within ${deadlineMs / 1_000} s` };
};

const stopPing = (arn: string, call: CallAws) =>
  call(toStopRequest(arn, 'the ping got no response')).catch(() => null);

/**
 * Why the last invocation of a durable execution failed; null if none did.
 * https://docs.aws.amazon.com/lambda/latest/api/API_InvocationCompletedDetails.html
 */
export const findDurableFailure = async (arn: string, call: CallAws): Promise<string | null> => {
  const path = `${toDurablePath(arn)}/history?IncludeExecutionData=true&ReverseOrder=true`;
  const answer = await call({ method: 'GET', path }).catch(() => null);
  const { Events } = readObject(answer?.body.toString() ?? '');
  for (const event of Array.isArray(Events) ? Events : []) {
    const { Error: error } = toMap(toMap(event).InvocationCompletedDetails);
    const { Payload } = toMap(error);
    if (Payload !== undefined) return describeFailure(Payload);
  }
  return null;
};

const toRefusedPing = (answer: AwsAnswer): PingAnswer => {
  const type = errorTypeOf(answer);
  const content = readObject(answer.body.toString());
  const reason = `${type}: ${String(content.message ?? content.Message ?? answer.status)}`;
  if (type === 'AccessDeniedException' || findDenial(reason) !== null) return { problem: 'denied', reason };
  if (type === 'ResourceNotFoundException') return { problem: 'missing', reason };
  return { problem: answer.status === 429 ? 'throttled' : 'silent', reason };
};

const toFailedPing = (error: unknown): PingAnswer => ({ problem: 'failed', reason: describeFailure(error) });

/** Reads `{errorMessage}` of an invocation or `{ErrorMessage}` of an execution, as an object or as JSON. */
const describeFailure = (error: unknown): string => {
  const { errorMessage, ErrorMessage } = toMap(typeof error === 'string' ? tryJson(error) : error);
  return String(errorMessage ?? ErrorMessage ?? error);
};

const toMap = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
