import { type Clock, isPlainObject, type Logger } from '@hookloom/plugin-kit';
import middy from '@middy/core';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Answer } from '../shared/answer.ts';
import { ANSWER_TOO_LARGE, METHOD_NOT_ALLOWED, REQUEST_INVALID } from '../shared/error-catalogue.ts';
import { AppError, isAppError, isRefusal } from '../shared/errors.ts';
import { METRICS, type Measurement, type Measuring, measure } from '../shared/metrics.ts';
import { readTraceparent } from '../shared/traceparent.ts';
import { answerProblem } from './problem.ts';

/** Fields and metrics of a request's log line. */
type LogFields = Readonly<Record<string, string | number>> & Measuring;

/** One invocation of a function. */
export interface Call {
  readonly event: unknown;
  readonly context: Partial<Context>;
  /** Adds fields to the request's log line. Only verified values: raw input may be a misplaced secret. */
  addLogFields(fields: LogFields): void;
  /** Adds response headers regardless of the outcome; undefined removes one that the answer has: JSON, which Lambda returns, lacks it. */
  addHeaders(headers: Readonly<Record<string, string | undefined>>): void;
}

/** Handles one request. A thrown error becomes an answer. */
export type Handle = (call: Call) => Promise<Answer>;

interface HandlerParts {
  readonly logger: Logger;
  readonly clock: Pick<Clock, 'now'>;
  /** Replaces a problem, for example with a page for a browser; null to send it unchanged. */
  readonly presentProblem?: (problem: Answer, event: unknown) => Promise<Answer | null>;
}

/**
 * The Lambda handler of an HTTP function: turns the answer or error of `handle` into the gateway's result and one log
 * line.
 */
export const createHandler = (parts: HandlerParts, handle: Handle) =>
  // No early timeout: long operations have their own deadlines, and a timer per request costs time.
  middy<unknown, APIGatewayProxyStructuredResultV2>({ timeoutEarlyInMillis: 0 }).handler(
    async (event, context: Partial<Context> = {}) => {
      const startedAt = parts.clock.now();
      const request = describeRequest(event, context);
      const target: LogFields = {};
      const addLogFields: Call['addLogFields'] = (fields) => void Object.assign(target, fields);
      const added: Record<string, string> = {};
      const addHeaders: Call['addHeaders'] = (headers) => void Object.assign(added, headers);
      const call = { event, context, addLogFields, addHeaders };
      const { answer, thrown } = await answerCall(call, handle, request.requestId, parts);
      const fields = {
        requestId: request.requestId,
        route: request.route,
        ...callerOf(event),
        ...target,
        ...traceOf(event),
        ...executionOf(answer, thrown),
        status: answer.status,
        durationMs: parts.clock.now() - startedAt,
        ...(isAppError(thrown) ? { code: thrown.code, ...reasonOf(thrown) } : {}),
        ...(isServerError(answer, thrown) ? measure(...(target[METRICS] ?? []), SERVER_ERROR) : {}),
      };
      if (answer.status < 500) parts.logger.info('request', fields);
      else parts.logger.error('request', { ...fields, cause: causeOf(thrown) });
      return toResult({ ...answer, headers: mergeHeaders(answer.headers, added) }, request.method);
    },
  );

export interface ServedRoute {
  /** The gateway's route key: `GET /api/admin/workflows/{workflowId}`. */
  readonly route: string;
  readonly handle: Handle;
}

/**
 * The handler of a function of the admin API. It refuses a path in any other spelling than the route's: IAM may have
 * judged that one.
 *
 * @param served - the routes, made by `answerRoute`; or handlers by the gateway's route key
 * @throws AppError `METHOD_NOT_ALLOWED` for an event of a route that is not among them; `REQUEST_INVALID` for a path that
 *   is spelled differently
 */
export const serveRoutes = (
  parts: HandlerParts,
  served: readonly ServedRoute[] | Readonly<Record<string, Handle>>,
) => {
  const routes = Array.isArray(served)
    ? Object.fromEntries(served.map(({ route, handle }: ServedRoute) => [route, handle]))
    : (served as Readonly<Record<string, Handle>>);
  return createHandler(parts, async (call) => {
    const { method, path } = readRoute(call.event);
    const key = `${method} ${path}`;
    const handle = Object.hasOwn(routes, key) ? routes[key] : undefined;
    if (handle !== undefined) {
      if (isSpelledAs(path, call.event)) return handle(call);
      throw new AppError(REQUEST_INVALID, { reason: `its path is not spelled as ${path}` });
    }
    const all = Object.keys(routes).map((route) => route.split(' '));
    const ofPath = all.filter(([, other]) => other === path);
    const methods = (ofPath.length > 0 ? ofPath : all).flatMap(([one = '']) =>
      one === 'GET' ? ['GET', 'HEAD'] : [one],
    );
    throw new AppError(METHOD_NOT_ALLOWED, { allow: [...new Set(methods)] });
  });
};

/** The method of a request, GET for HEAD, and the path of its route; no method unless the route has the same. */
const readRoute = (event: unknown) => {
  const { routeKey, requestContext } = isPlainObject(event) ? event : {};
  const { http } = isPlainObject(requestContext) ? requestContext : {};
  const { method: given } = isPlainObject(http) ? http : {};
  const [method = '', path = ''] = toText(routeKey).split(' ');
  return { method: given !== method ? '' : method === 'HEAD' ? 'GET' : method, path };
};

/**
 * Whether the path of a request, which the gateway has decoded once, is the route's, below the segments of a stage or a
 * mapping. Of a route with parameters, only the form is checked: the handlers look ids up.
 */
const isSpelledAs = (route: string, event: unknown): boolean => {
  const { rawPath } = isPlainObject(event) ? event : {};
  if (rawPath === undefined) return true; // of no gateway, but of a call by hand
  const path = toText(rawPath);
  return PLAIN_PATH.test(path) && (route.includes('{') || path.endsWith(route));
};

/** Segments that are not empty, `.` or `..`, without characters that some readers of paths decode or cut at. */
const PLAIN_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[^/\\%;]+)+$/;

/** Merges headers: added ones win, except that `vary` is combined (RFC 9110 §12.5.5). */
const mergeHeaders = (own: Answer['headers'], added: Answer['headers']): Answer['headers'] =>
  own.vary === undefined || added.vary === undefined
    ? { ...own, ...added }
    : { ...own, ...added, vary: `${own.vary}, ${added.vary}` };

const answerCall = async (
  call: Call,
  handle: Handle,
  requestId: string,
  { presentProblem }: HandlerParts,
) => {
  try {
    const answer = await handle(call);
    if (isTooLarge(answer)) throw new AppError(ANSWER_TOO_LARGE, { limitBytes: MAX_ANSWER_BYTES });
    return { answer, thrown: undefined };
  } catch (thrown) {
    const problem = answerProblem(thrown, requestId);
    const shown = await presentProblem?.(problem, call.event).catch(() => null);
    return { answer: shown ?? problem, thrown };
  }
};

const SERVER_ERROR: Measurement = { values: { ServerErrors: 1 } };

/** Whether the service is at fault rather than a workflow, whose errors carry an execution id. */
const isServerError = (answer: Answer, thrown: unknown): boolean =>
  answer.status >= 500 &&
  thrown !== undefined &&
  executionOf(answer, thrown).executionId === undefined &&
  !(isAppError(thrown) && NOT_OURS.test(thrown.code));

const NOT_OURS = /^(ANSWER_TOO_LARGE|WEBHOOK_PAUSED)$/;

/** The execution that a request started or refers to, from its answer or error. */
const executionOf = ({ executionId }: Answer, thrown: unknown): { readonly executionId?: string } => {
  if (executionId !== undefined) return { executionId };
  const parameters: { readonly executionId?: unknown } = isAppError(thrown) ? thrown.parameters : {};
  return typeof parameters.executionId === 'string' ? { executionId: parameters.executionId } : {};
};

/** The request's `traceparent`: safe to log, since its format is fixed. */
const traceOf = (event: unknown): { readonly traceparent?: string } => {
  const { headers } = isPlainObject(event) ? event : {};
  const traceparent = isPlainObject(headers) ? readTraceparent(headers.traceparent) : null;
  return traceparent === null ? {} : { traceparent };
};

/**
 * The ARN of the caller, which IAM has authenticated: of a user, or a role with the name of its session; null for public
 * routes, and locally.
 */
export const readCaller = (event: unknown): string | null => {
  const { requestContext } = isPlainObject(event) ? event : {};
  const { authorizer } = isPlainObject(requestContext) ? requestContext : {};
  const { iam } = isPlainObject(authorizer) ? authorizer : {};
  const { userArn } = isPlainObject(iam) ? iam : {};
  return typeof userArn === 'string' ? userArn : null;
};

const callerOf = (event: unknown): { readonly caller?: string } => {
  const caller = readCaller(event);
  return caller === null ? {} : { caller };
};

/** Whether an answer is too large as JSON, as Lambda sends it: a quote takes two bytes, a control character six. */
const isTooLarge = (answer: Answer): boolean =>
  answer.body !== null &&
  answer.body.length * 6 > MAX_ANSWER_BYTES &&
  Buffer.byteLength(JSON.stringify(answer)) > MAX_ANSWER_BYTES;

/** The error to log: for a catalogue error, its cause. */
const causeOf = (thrown: unknown): unknown => (isAppError(thrown) ? (thrown.cause ?? thrown) : thrown);

/** The reason for a refusal that the response does not contain. */
const reasonOf = ({ cause }: AppError): { readonly reason?: string } =>
  isRefusal(cause) ? { reason: cause.message } : {};

/** Identifies a request in responses and the log; fields missing from the event are empty. */
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

/** The value if it is a string, else an empty string: `String` would throw for objects without a primitive value. */
const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Lambda's response size limit for synchronous invocations, without the headers that are added to an answer. */
const MAX_ANSWER_BYTES = 6 * 1024 * 1024 - 8_192;

/** An answer as API Gateway's result (payload format 2.0). Responses to HEAD have no body. */
export const toResult = (answer: Answer, method: string): APIGatewayProxyStructuredResultV2 => ({
  statusCode: answer.status,
  headers: { ...answer.headers, 'x-content-type-options': 'nosniff' },
  ...(answer.cookies === undefined ? {} : { cookies: [...answer.cookies] }),
  ...(answer.body === null || method === 'HEAD'
    ? {}
    : { body: answer.body, ...(answer.isBase64 === true ? { isBase64Encoded: true } : {}) }),
});
