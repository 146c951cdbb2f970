import middy from '@middy/core';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { isPlainObject } from '../contract/json.ts';
import type { Clock, Logger } from '../contract/services.ts';
import { readTraceparent } from '../contract/traceparent.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import { type Answer, MAX_ANSWER_BYTES, toResult } from './answer.ts';
import { answerProblem } from './problem.ts';

/** Deals with one request. What it throws is answered for it. */
export type Handle = (event: unknown, context: Context) => Promise<Answer>;

/**
 * What names the target of a request in its line in the log, once it is known: nothing that is only the caller's word,
 * which may be a secret in the wrong place.
 */
export type Describe = (event: unknown) => Readonly<Record<string, string>>;

export interface HandlerParts {
  readonly logger: Logger;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The way into every function, and the one way out: `handle` gives an answer or throws, and either becomes what
 * the gateway takes, and one line in the log. Middleware that is added with `use` runs in between.
 */
export const createHandler = (parts: HandlerParts, handle: Handle, describe: Describe = () => ({})) =>
  // No early timeout: what may take long has a deadline of its own, and a timer per request is not free.
  middy<unknown, APIGatewayProxyStructuredResultV2>({ timeoutEarlyInMillis: 0 })
    .use(answering(parts, describe) as middy.MiddlewareObj<unknown, APIGatewayProxyStructuredResultV2>)
    .handler(handle as never);

type Timed = middy.Request<unknown, unknown, Error, Context, { startedAt?: number }>;

const answering = ({ logger, clock }: HandlerParts, describe: Describe) => {
  const finish = (request: Timed, answer: Answer, thrown: unknown): void => {
    const { method, requestId, route } = describeRequest(request.event, request.context);
    request.response = toResult(answer, method);
    const fields = {
      requestId,
      route,
      ...describe(request.event),
      ...traceOf(request.event),
      ...executionOf(answer, thrown),
      status: answer.status,
      durationMs: clock.now() - (request.internal.startedAt ?? clock.now()),
      ...(isAppError(thrown) ? { code: thrown.code } : {}),
    };
    if (answer.status < 500) logger.info('request', fields);
    else logger.error('request', { ...fields, cause: causeOf(thrown) });
  };

  return {
    before: (request: Timed) => {
      request.internal.startedAt = clock.now();
    },
    after: (request: Timed) => {
      const answer = request.response as Answer;
      if (!isTooLarge(answer)) return finish(request, answer, undefined);
      throw new AppError('ANSWER_TOO_LARGE', { limitBytes: MAX_ANSWER_BYTES });
    },
    onError: (request: Timed) => {
      const { requestId } = describeRequest(request.event, request.context);
      finish(request, answerProblem(request.error, requestId), request.error);
    },
  };
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
const describeRequest = (event: unknown, context: Partial<Context> | undefined) => {
  const { requestContext } = (event ?? {}) as { requestContext?: unknown };
  const { http, requestId, routeKey } = (requestContext ?? {}) as Record<string, unknown>;
  const { method } = (http ?? {}) as { method?: unknown };
  return {
    method: toText(method),
    requestId: toText(requestId) || toText(context?.awsRequestId),
    route: toText(routeKey),
  };
};

/** `String` throws for an object that can't become a primitive. */
const toText = (value: unknown): string => (typeof value === 'string' ? value : '');
