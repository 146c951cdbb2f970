import { type Clock, isPlainObject, type Logger } from '@hookloom/plugin-kit';
import middy from '@middy/core';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Answer } from '../shared/answer.ts';
import { ANSWER_TOO_LARGE, METHOD_NOT_ALLOWED, REQUEST_INVALID } from '../shared/error-catalogue.ts';
import { AppError, isAppError, isRefusal } from '../shared/errors.ts';
import { METRICS, type Measurement, type Measuring, measure } from '../shared/metrics.ts';
import { readTraceparent } from '../shared/traceparent.ts';
import { answerProblem } from './problem.ts';
import { stringOrEmpty } from './read-webhook-event.ts';

/*
 * The contract of a middleware. Every HTTP function is a stack of middy: `middy(handle).use(first).use(second)…`. A middleware
 * is an object with up to three functions, each of which gets middy's request of one invocation.
 *
 * When it runs
 * - `before`: in the order of `use`, each once, before `handle`. When one throws, the rest and `handle` are skipped.
 * - `after`: in the opposite order, once `handle` has answered.
 * - `onError`: in the opposite order, all of them, when anything before has thrown: a `before`, `handle` or an `after`. One whose
 *   `after` has run sees the same invocation again, so that it must be able to do its work twice.
 *
 * What it may change
 * - `request.event`: a {@link Call}, which the first middleware makes of the gateway's event. A `before` may add members for
 *   those after it and for `handle`; it changes none that is there. It keeps there what its `after` needs, since one sandbox may
 *   serve several requests at a time locally: nothing of a request is kept in a variable of the middleware.
 * - `request.response`: an {@link Answer}. An `after` may replace it, an `onError` sets it; only the first middleware, which runs
 *   last, turns it into the gateway's result.
 * - `request.error`: an `onError` may put an error of the catalogue in place of another one.
 * - The results of these functions are `undefined`. With anything else, middy ends the stack at once: after a `before`, no `after`
 *   would run, and the request would have no log line. To refuse a request, throw an AppError.
 *
 * What an error in it does
 * - In `before` or `after`, it is the request's error, as if `handle` had thrown it: it becomes a problem and is logged.
 * - In `onError`, it fails the invocation: Lambda answers 500 and logs it. So an `onError` catches what may fail.
 *
 * What it costs
 * - A call or two per request, on the way of every webhook: a new one must do the work of a file, and may load nothing that most
 *   requests don't need. What depends on the route is a stack of the route: see `answerRoute`.
 */

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
export type Handle<Given extends Call = Call> = (call: Given) => Promise<Answer>;

export type Middleware<Given extends Call = Call> = middy.MiddlewareObj<Given, Answer, unknown>;

interface HandlerParts {
  readonly logger: Logger;
  readonly clock: Pick<Clock, 'now'>;
  /** Replaces a problem, for example with a page for a browser; null to send it unchanged. */
  readonly presentProblem?: (problem: Answer, event: unknown) => Promise<Answer | null>;
}

interface HttpHandler<Given extends Call> {
  (event: unknown, context: Context): Promise<APIGatewayProxyStructuredResultV2>;
  use(middleware: Middleware<Given>): this;
}

/** No early timeout: long operations have their own deadlines, and a timer per request costs time. */
export const STACK_OPTIONS = { timeoutEarlyInMillis: 0 };

/**
 * The Lambda handler of an HTTP function: turns the answer or error of `handle` into the gateway's result and one log
 * line.
 *
 * @typeParam Given - what further middlewares make of the call
 */
export const createHandler = <Given extends Call = Call>(
  parts: HandlerParts,
  handle: Handle<Given>,
): HttpHandler<Given> => {
  const stack = middy<Passing, Answer, unknown>(handle as unknown as Handle<Passing>, STACK_OPTIONS)
    .use(gatewayResults())
    .use(requestLog(parts))
    .use(problemAnswers(parts));
  return stack as unknown as HttpHandler<Given>;
};

/** A call, with what the middlewares of every function keep in it. */
interface Passing extends Call {
  /** From the gateway; empty if it is missing from the event. */
  readonly method: string;
  readonly requestId: string;
  readonly route: string;
  readonly added: Answer['headers'];
  logFields: LogFields;
  startedAt: number;
}

/** Makes a call of the gateway's event, and the gateway's result of the answer. Outermost: the others see calls and answers. */
const gatewayResults = (): Middleware<Passing> => {
  const toGateway = (passed: middy.Request<Passing, Answer, unknown>) => {
    const { method, added } = passed.event;
    const answer = passed.response as Answer;
    const { vary } = answer.headers;
    const headers = { ...answer.headers, ...added };
    if (vary !== undefined && added.vary !== undefined) headers.vary = `${vary}, ${added.vary}`; // RFC 9110 §12.5.5
    passed.response = toResult({ ...answer, headers }, method) as unknown as Answer;
  };
  return {
    before: (passed) => {
      const event: unknown = passed.event;
      const context: Partial<Context> = passed.context;
      const { requestContext } = (event ?? {}) as { requestContext?: unknown };
      const { http, requestId, routeKey } = (requestContext ?? {}) as Record<string, unknown>;
      const { method } = (http ?? {}) as { method?: unknown };
      const added: Record<string, string> = {};
      const call: Partial<Passing> = {
        event,
        context,
        method: stringOrEmpty(method),
        requestId: stringOrEmpty(requestId) || stringOrEmpty(context.awsRequestId),
        route: stringOrEmpty(routeKey),
        added,
        addHeaders: (headers) => void Object.assign(added, headers),
      };
      passed.event = call as Passing;
    },
    after: toGateway,
    onError: toGateway,
  };
};

/** Writes one line per request, with the fields that its handler adds. */
const requestLog = ({ logger, clock }: HandlerParts): Middleware<Passing> => {
  const write = ({ event: call, response, error: thrown }: middy.Request<Passing, Answer, unknown>) => {
    const { event, requestId, route, logFields } = call;
    const answer = response as Answer;
    const { headers } = isPlainObject(event) ? event : {};
    const { traceparent } = isPlainObject(headers) ? headers : {};
    const executionId = answer.executionId ?? findExecutionId(thrown);
    const fields = {
      requestId,
      route,
      caller: readCaller(event) ?? undefined,
      // Safe to log, since its format is fixed.
      traceparent: (traceparent && readTraceparent(traceparent)) || undefined,
      ...logFields,
      ...(executionId === undefined ? {} : { executionId }),
      status: answer.status,
      durationMs: clock.now() - call.startedAt,
      ...(thrown && isAppError(thrown) ? { code: thrown.code, ...reasonOfRefusal(thrown) } : {}),
    };
    if (answer.status < 500) logger.info('request', fields);
    else {
      const isOurs = executionId === undefined && isServerError(thrown);
      const counted = isOurs ? measure(...(logFields[METRICS] ?? []), SERVER_ERROR) : {};
      logger.error('request', { ...fields, ...counted, cause: causeOf(thrown) });
    }
  };
  return {
    before: ({ event: call }) => {
      // Object.assign: V8 would keep objects that get a closure as a new property until it collects the whole heap.
      const logFields = {};
      const addLogFields = (fields: LogFields) => void Object.assign(logFields, fields);
      Object.assign(call, { startedAt: clock.now(), logFields, addLogFields });
    },
    after: write,
    onError: write,
  };
};

/** Answers an error with a problem; an answer that is larger than Lambda returns is an error, too. */
const problemAnswers = ({ presentProblem }: HandlerParts): Middleware<Passing> => ({
  after: ({ response }) => {
    // As JSON, as Lambda sends it: a quote takes two bytes, a control character six.
    const longest = ((response as Answer).body?.length ?? 0) * 6;
    if (longest > MAX_ANSWER_BYTES && Buffer.byteLength(JSON.stringify(response)) > MAX_ANSWER_BYTES)
      throw new AppError(ANSWER_TOO_LARGE, { limitBytes: MAX_ANSWER_BYTES });
  },
  onError: async (passed) => {
    const { event, requestId } = passed.event;
    const problem = answerProblem(passed.error, requestId);
    passed.response = (await presentProblem?.(problem, event).catch(() => null)) ?? problem;
  },
});

export interface ServedRoute {
  /** The gateway's route key: `GET /api/admin/workflows/{workflowId}`. */
  readonly route: string;
  readonly handle: Handle;
}

/**
 * The handler of a function of the admin API. It refuses a path in any other spelling than the route's: IAM may have
 * judged that one.
 *
 * @param served - the routes, made by `answerRoute`
 * @throws AppError `METHOD_NOT_ALLOWED` for an event of a route that is not among them; `REQUEST_INVALID` for a path that
 *   is spelled differently
 */
export const serveRoutes = (parts: HandlerParts, served: readonly ServedRoute[]) => {
  const routes = new Map(served.map(({ route, handle }) => [route, handle]));
  return createHandler(parts, async (call) => {
    const { method, path } = readRoute(call.event);
    const handle = routes.get(`${method} ${path}`);
    if (handle !== undefined) {
      if (isSpelledAs(path, call.event)) return handle(call);
      throw new AppError(REQUEST_INVALID, { reason: `its path is not spelled as ${path}` });
    }
    const all = served.map(({ route }) => route.split(' '));
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
  const [method = '', path = ''] = stringOrEmpty(routeKey).split(' ');
  return { method: given !== method ? '' : method === 'HEAD' ? 'GET' : method, path };
};

/**
 * Whether the path of a request, which the gateway has decoded once, is the route's, below the segments of a stage or a
 * mapping. Of a route with parameters, only the form is checked: the handlers look ids up.
 */
const isSpelledAs = (route: string, event: unknown): boolean => {
  const { rawPath } = isPlainObject(event) ? event : {};
  if (rawPath === undefined) return true; // of no gateway, but of a call by hand
  const path = stringOrEmpty(rawPath);
  return PLAIN_PATH.test(path) && (route.includes('{') || path.endsWith(route));
};

/** Segments that are not empty, `.` or `..`, without characters that some readers of paths decode or cut at. */
const PLAIN_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[^/\\%;]+)+$/;

const SERVER_ERROR: Measurement = { values: { ServerErrors: 1 } };

/** Whether the service is at fault rather than a workflow, whose errors carry an execution id. */
const isServerError = (thrown: unknown): boolean =>
  thrown !== undefined && !(isAppError(thrown) && NOT_OURS.test(thrown.code));

const NOT_OURS = /^(ANSWER_TOO_LARGE|WEBHOOK_PAUSED)$/;

const findExecutionId = (thrown: unknown): string | undefined => {
  const parameters: { readonly executionId?: unknown } = isAppError(thrown) ? thrown.parameters : {};
  return typeof parameters.executionId === 'string' ? parameters.executionId : undefined;
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

const causeOf = (thrown: unknown): unknown => (isAppError(thrown) ? (thrown.cause ?? thrown) : thrown);

/** The reason for a refusal that the response does not contain. */
const reasonOfRefusal = ({ cause }: AppError): { readonly reason?: string } =>
  isRefusal(cause) ? { reason: cause.message } : {};

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
