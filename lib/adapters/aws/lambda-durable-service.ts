import { isDeepStrictEqual } from 'node:util';
import type { DurableService, DurableStatus } from '../../executions/durable-service.ts';
import { ANSWER_UNCONFIRMED, ENGINE_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { type AwsAnswer, type AwsRequest, askAws, type CallAws, postJson } from './aws-caller.ts';
import { errorTypeOf, isSuccess, isThrottled, toCause } from './aws-error.ts';

const STATUSES: Readonly<Record<string, DurableStatus>> = {
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'timedOut',
  STOPPED: 'stopped',
};

/** Error types for a callback that is not open: unknown, answered, or timed out. */
const NOT_OPEN = new Set([
  'ResourceNotFoundException',
  'InvalidParameterValueException',
  'CallbackTimeoutException',
]);

/** The path of a durable execution in Lambda's API. */
export const toDurablePath = (durableArn: string): string =>
  `/2025-12-01/durable-executions/${encodeURIComponent(durableArn)}`;

/** The request that stops a durable execution. */
export const toStopRequest = (durableArn: string, reason: string): AwsRequest =>
  postJson(`${toDurablePath(durableArn)}/stop`, { ErrorType: 'Stopped', ErrorMessage: reason });

const isUnknown = (answer: AwsAnswer): boolean => errorTypeOf(answer) === 'ResourceNotFoundException';

/** Client of Lambda's API for durable executions. https://docs.aws.amazon.com/lambda/latest/api/API_Operations.html */
export const createLambdaDurableService = (call: CallAws): DurableService => {
  const ask = (request: AwsRequest, isExpected: (answer: AwsAnswer) => boolean): Promise<AwsAnswer> =>
    askAws(call, request, (cause) => new AppError(ENGINE_UNAVAILABLE, {}, cause), isExpected);

  return {
    findStatus: async (durableArn) => {
      const request = { method: 'GET', path: toDurablePath(durableArn) } as const;
      const answer = await ask(request, (one) => isUnknown(one) || isThrottled(one));
      if (isUnknown(answer)) return 'gone';
      if (isThrottled(answer)) return 'throttled';
      const { Status } = JSON.parse(answer.body.toString());
      return STATUSES[Status] ?? 'running';
    },

    stop: async (durableArn, reason) => {
      // It may have ended.
      await ask(toStopRequest(durableArn, reason), (answer) => answer.status === 409 || isUnknown(answer));
    },

    answerCallback: async ({ callbackId, durableArn }, value) => {
      const path = `/2025-12-01/durable-execution-callbacks/${encodeURIComponent(callbackId)}/succeed`;
      const request = postJson(path, value, { 'content-type': 'application/octet-stream' });
      const answer = await ask(request, (one) => NOT_OPEN.has(errorTypeOf(one)));
      if (isSuccess(answer)) return true;
      // A repeated request is refused if the first one was accepted and its reply was lost.
      if (answer.tries === 1) return false;
      const history = `${toDurablePath(durableArn)}/history`;
      const given = await findAnswer(call, history, callbackId).catch((cause) => {
        throw new AppError(ANSWER_UNCONFIRMED, {}, cause);
      });
      return given !== null && isDeepStrictEqual(given, value);
    },
  };
};

/** Maximum number of pages of a history, of a thousand events each: more than an execution can have. */
const MAX_PAGES = 20;

interface HistoryEvent {
  readonly Id?: string;
  readonly CallbackStartedDetails?: { readonly CallbackId?: string };
  readonly CallbackSucceededDetails?: { readonly Result?: { readonly Payload?: string } };
}

/**
 * The answer to a callback; null if it has none. The latest events are read first, so the answer is read before its
 * callback. https://docs.aws.amazon.com/lambda/latest/api/API_GetDurableExecutionHistory.html
 */
const findAnswer = async (call: CallAws, path: string, callbackId: string): Promise<unknown> => {
  const payloads = new Map<string, string>();
  let marker = '';
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = `IncludeExecutionData=true&ReverseOrder=true&MaxItems=1000${marker}`;
    const answer = await call({ method: 'GET', path: `${path}?${query}` });
    if (!isSuccess(answer)) throw toCause(answer);
    const { Events = [], NextMarker } = JSON.parse(answer.body.toString()) as {
      readonly Events?: readonly HistoryEvent[];
      readonly NextMarker?: string;
    };
    for (const { Id = '', CallbackStartedDetails, CallbackSucceededDetails } of Events) {
      const payload = CallbackSucceededDetails?.Result?.Payload;
      if (payload !== undefined) payloads.set(Id, payload);
      if (CallbackStartedDetails?.CallbackId !== callbackId) continue;
      const found = payloads.get(Id);
      return found === undefined ? null : JSON.parse(found);
    }
    if (!NextMarker) return null;
    marker = `&Marker=${encodeURIComponent(NextMarker)}`;
  }
  return null;
};
