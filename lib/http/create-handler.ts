import middy from '@middy/core';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { isPlainObject } from '../contract/json.ts';
import type { Clock, Logger } from '../contract/services.ts';
import { readTraceparent } from '../contract/traceparent.ts';
import type { Answer } from '../shared/answer.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import { answerProblem } from './problem.ts';
import { MAX_ANSWER_BYTES, toResult } from './to-result.ts';

/** One call of a function: the event as it came, and what goes into its line in the log. */
interface Call {
  readonly event: unknown;
  readonly context: Partial<Context>;
  /** Adds the target of the request to the log line. Only what the store knows: a caller's word may be a secret. */
  describe(fields: Readonly<Record<string, string>>): void;
}

/** Answers one request. What it throws is answered as a problem. */
export type Handle = (call: Call) => Promise<Answer>;

interface HandlerParts {
  readonly logger: Logger;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The way into every function, and the one way out: `handle` returns an answer or throws, and either becomes a result
 * for the gateway and one line in the log.
 */
export const createHandler = (parts: HandlerParts, handle: Handle) =>
  // No early timeout: what may take long has a deadline of its own, and a timer per request is not free.
  middy<unknown, APIGatewayProxyStructuredResultV2>({ timeoutEarlyInMillis: 0 }).handler(
    async (event, context: Partial<Context> = {}) => {
      const startedAt = parts.clock.now();
      const request = describeRequest(event, context);
      const target: Record<string, string> = {};
      const describe = (fields: Readonly<Record<string, string>>) => void Object.assign(target, fields);
      const { answer, thrown } = await answerCall({ event, context, describe }, handle, request.requestId);
      const fields = {
        requestId: request.requestId,
        route: request.route,
        ...target,
        ...traceOf(event),
        ...executionOf(answer, thrown),
        status: answer.status,
        durationMs: parts.clock.now() - startedAt,
        ...(isAppError(thrown) ? { code: thrown.code } : {}),
      };
      if (answer.status < 500) parts.logger.info('request', fields);
      else parts.logger.error('request', { ...fields, cause: causeOf(thrown) });
      return toResult(answer, request.method);
    },
  );

const answerCall = async (call: Call, handle: Handle, requestId: string) => {
  try {
    const answer = await handle(call);
    if (isTooLarge(answer)) throw new AppError('ANSWER_TOO_LARGE', { limitBytes: MAX_ANSWER_BYTES });
    return { answer, thrown: undefined };
  } catch (thrown) {
    return { answer: answerProblem(thrown, requestId), thrown };
  }
};

/** The execution that a request has started or asked for, as its answer names it. */
const executionOf = ({ executionId }: Answer, thrown: unknown): { readonly executionId?: string } => {
  if (executionId !== undefined) return { executionId };
  const parameters: { readonly executionId?: unknown } = isAppError(thrown) ? thrown.parameters : {};
  return typeof parameters.executionId === 'string' ? { executionId: parameters.executionId } : {};
};

/** The place in a trace that a request names: a fixed form, which can hold nothing else. */
const traceOf = (event: unknown): { readonly traceparent?: string } => {
  const { headers } = isPlainObject(event) ? event : {};
  const traceparent = isPlainObject(headers) ? readTraceparent(headers.traceparent) : null;
  return traceparent === null ? {} : { traceparent };
};

/** Lambda sends the answer as JSON, in which a quote takes two bytes and a control character six. */
const isTooLarge = ({ body }: Answer): boolean =>
  body !== null &&
  body.length * 6 > MAX_ANSWER_BYTES &&
  Buffer.byteLength(JSON.stringify(body)) > MAX_ANSWER_BYTES;

/** What only the log sees. An error of the catalogue stands for what caused it. */
const causeOf = (thrown: unknown): unknown => (isAppError(thrown) ? (thrown.cause ?? thrown) : thrown);

/** The names of a request in answers and in the log. Empty for what an event lacks, or has as anything but a text. */
const describeRequest = (event: unknown, context: Partial<Context>) => {
  const { requestContext } = (event ?? {}) as { requestContext?: unknown };
  const { http, requestId, routeKey } = (requestContext ?? {}) as Record<string, unknown>;
  const { method } = (http ?? {}) as { method?: unknown };
  return {
    method: toText(method),
    requestId: toText(requestId) || toText(context.awsRequestId),
    route: toText(routeKey),
  };
};

/** `String` throws for an object that can't become a primitive. */
const toText = (value: unknown): string => (typeof value === 'string' ? value : '');
