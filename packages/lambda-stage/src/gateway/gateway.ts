import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { JsonObject } from '../net/json.ts';
import { listen } from '../net/listen.ts';
import { findForeignRequest, readBody } from '../net/local-requests.ts';
import type { FindRoute, RouteMatch } from './routes.ts';
import { answerProblem, type GatewayAnswer, gatewayAnswers, toAnswer } from './to-answer.ts';
import { type RawRequest, splitTarget, toEvent } from './to-event.ts';

export interface GatewayOptions {
  /** Port of the gateway; 0 uses any free port. */
  readonly port: number;
  readonly findRoute: FindRoute;
  /** Answers a request for a page of the service itself, or of such a page; null for any other. */
  readonly answerOwn?: (request: RawRequest, requestId: string) => Promise<GatewayAnswer | null>;
  /** Invokes a function; rejects when it fails. The signal aborts when the gateway stops waiting. */
  readonly invoke: (functionKey: string, event: unknown, signal: AbortSignal) => Promise<unknown>;
  /** What the types of problems begin with, for which API Gateway has no equivalent. */
  readonly problemTypes?: string;
  /** Authorizes a request to a protected route; by default it refuses requests of web pages. */
  readonly authorize?: Authorize;
  readonly log: (line: string) => void;
  readonly limits?: Partial<typeof LIMITS>;
}

/** @returns the caller's identity for the event; null when the request is refused */
type Authorize = (request: RawRequest) => Promise<JsonObject | null>;

export interface Gateway {
  readonly port: number;
  /** Accepts no more requests; resolves when pending ones are answered, or closed after the grace period. */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Documented at https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html; an event, as JSON, has
 * Lambda's own limit: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const LIMITS = { bodyBytes: 10 * 1024 * 1024, eventBytes: 6_291_456, answerMs: 30_000 };

/** Bytes that a byte of a body takes in the JSON of an event, at most, since JSON escapes control characters. */
const BYTES_IN_EVENT = 6;

/** Keep-alive timeout, longer than most clients use, so that the client closes idle connections. */
const KEEP_ALIVE_MS = 60_000;

/** @throws Error with the system's code when the port is in use: `EADDRINUSE` */
export const startGateway = async (options: GatewayOptions): Promise<Gateway> => {
  const limits = { ...LIMITS, ...options.limits };
  let port = 0;
  let isStopping = false;
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void serveRequest(request, port, { ...options, limits }).then(([answer, requestId]) => {
      if (isStopping) response.setHeader('connection', 'close');
      sendGatewayAnswer(response, answer, requestId);
    });
  });
  port = await listen(server, options.port, 'localhost');
  return {
    port,
    stop: (graceMs = 1_000) =>
      new Promise((resolve) => {
        isStopping = true;
        const timer = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
};

type Settings = GatewayOptions & { readonly limits: typeof LIMITS };

/** Answers a request; never rejects. */
const serveRequest = async (
  incoming: IncomingMessage,
  port: number,
  settings: Settings,
): Promise<[GatewayAnswer, requestId: string]> => {
  const requestId = randomBytes(11).toString('base64'); // same length and alphabet as AWS's
  try {
    const body = await readBody(incoming, settings.limits.bodyBytes);
    if (body === null) return [gatewayAnswers.tooLarge, requestId];
    const { method = '', url = '', httpVersion, rawHeaders, socket } = incoming;
    const remoteAddress = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
    const request = { method, url, httpVersion, rawHeaders, body, remoteAddress, port };
    return [await answerRequest(request, requestId, settings), requestId];
  } catch (error) {
    settings.log(`${incoming.method} ${incoming.url}: ${(error as Error).message}`); // the connection is closed
    return [gatewayAnswers.failed, requestId];
  }
};

const answerRequest = async (
  request: RawRequest,
  requestId: string,
  settings: Settings,
): Promise<GatewayAnswer> => {
  let route: RouteMatch | null;
  try {
    route = settings.findRoute(request.method, splitTarget(request.url).path);
  } catch {
    return gatewayAnswers.badRequest; // the path is not percent-encoded UTF-8
  }
  const own = await settings.answerOwn?.(request, requestId);
  if (own) return own;
  if (route === null) return gatewayAnswers.notFound;
  const event = toEvent(request, route, { requestId, now: Date.now() });
  const mayBeTooLarge = request.body.length * BYTES_IN_EVENT > settings.limits.eventBytes / 2;
  if (mayBeTooLarge && Buffer.byteLength(JSON.stringify(event)) > settings.limits.eventBytes)
    return gatewayAnswers.tooLarge;
  if (!route.isPrivate) return callFunction(route.functionKey, event, settings);
  if (settings.authorize !== undefined) {
    const authorizer = await settings.authorize(request);
    if (authorizer === null) return gatewayAnswers.forbidden;
    const requestContext = { ...event.requestContext, authorizer };
    return callFunction(route.functionKey, { ...event, requestContext }, settings);
  }
  const foreign = findForeignRequest(request, settings.problemTypes);
  if (foreign !== null) return answerProblem({ ...foreign, instance: requestId });
  return callFunction(route.functionKey, event, settings);
};

const callFunction = async (
  functionKey: string,
  event: unknown,
  { invoke, log, limits }: Settings,
): Promise<GatewayAnswer> => {
  const timeout = new AbortController();
  const { promise: late, resolve: onLate } = Promise.withResolvers<GatewayAnswer>();
  const timer = setTimeout(() => {
    onLate(gatewayAnswers.unavailable);
    timeout.abort(new Error(`no response within ${limits.answerMs / 1_000} seconds`));
  }, limits.answerMs);
  const result = invoke(functionKey, event, timeout.signal).then(toAnswer, (error: Error) => {
    log(`${functionKey} failed: ${error.message}`);
    return gatewayAnswers.failed;
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** Statuses without a body and therefore without a length (RFC 9110 §8.6). */
const BODILESS = new Set([204, 304]);

const sendGatewayAnswer = (
  response: ServerResponse,
  { status, headers, body }: GatewayAnswer,
  requestId: string,
): void => {
  const fields: (readonly [string, string])[] = [...headers, ['apigw-requestid', requestId]];
  // The answer to HEAD has the length of GET's, or none (RFC 9110 §8.6): functions give no body for it.
  const isUnknown = response.req.method === 'HEAD' && body.length === 0;
  if (!BODILESS.has(status) && !isUnknown) fields.push(['content-length', String(body.length)]);
  try {
    response.writeHead(status, fields.flat());
  } catch {
    sendGatewayAnswer(response, gatewayAnswers.failed, requestId); // a header is not valid HTTP
    return;
  }
  response.end(body);
};
