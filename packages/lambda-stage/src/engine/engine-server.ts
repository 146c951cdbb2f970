import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { createRouter } from '../gateway/routes.ts';
import { splitTarget } from '../gateway/to-event.ts';
import { ApiError, InvalidParameterValueException } from '../net/api-error.ts';
import { type InternalServer, startInternalServer } from '../net/listen.ts';
import type { InvocationContext } from '../pool/messages.ts';
import type { AsyncInvocations } from './async-invocations.ts';
import { invocationFailed, listCallbackEvents, pageOf } from './callback-history.ts';
import { LIMITS } from './durable-state.ts';
import type { LocalEngine } from './local-engine.ts';

/** A function as named in a Lambda API request. */
interface LambdaFunction {
  /** The function's key: its name without the stack's. */
  readonly key: string;
  readonly isDurable: boolean;
  /** The ARN with the version or alias of the request. */
  readonly invokedArn: string;
  /** The only invocation type that it accepts; any if absent. */
  readonly takes?: 'RequestResponse';
}

/**
 * Finds the function for a name, a partial ARN or an ARN, each with or without a version or alias.
 *
 * @throws ApiError when Lambda would refuse it
 */
export type FindLambdaFunction = (name: string, qualifier: string | null) => LambdaFunction;

interface ApiRequest {
  readonly parameter: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Engines {
  readonly engine: LocalEngine;
  readonly invocations: AsyncInvocations;
  /** Invokes a function and waits for its result. */
  readonly invoke: (
    functionKey: string,
    event: unknown,
    context: InvocationContext,
    onLog: (tail: string) => void,
  ) => Promise<unknown>;
  readonly findFunction: FindLambdaFunction;
  /** The configuration of a function. @throws ApiError */
  readonly describeFunction?: (name: string) => unknown;
}

type Operation = (request: ApiRequest, engines: Engines) => Promise<Reply>;

const replyOk = (body: unknown): Reply => ({ status: 200, body });

/** Lambda's names for the statuses of an execution. */
const STATUSES = {
  running: 'RUNNING',
  succeeded: 'SUCCEEDED',
  failed: 'FAILED',
  timedOut: 'TIMED_OUT',
  stopped: 'STOPPED',
} as const;

/** The operations by route. Each route has one parameter. */
const operations: Readonly<Record<string, Operation>> = {
  'POST /2015-03-31/functions/{name}/invocations': async (
    { parameter, query, headers, text },
    { engine, invocations, invoke, findFunction },
  ) => {
    const found = findFunction(parameter, query.get('Qualifier'));
    const type = checkInvocation(headers, text, found, parameter);
    const context = { invokedFunctionArn: found.invokedArn, ...readClientContext(headers) };
    if (type === 'RequestResponse') {
      let log = '';
      const reply = await invokeAndWait(text, (event) =>
        invoke(found.key, event, context, (tail) => {
          log = tail;
        }),
      );
      if (headers['x-amz-log-type'] !== 'Tail') return reply;
      const tail = { 'x-amz-log-result': Buffer.from(log).toString('base64') };
      return { ...reply, headers: { ...reply.headers, ...tail } };
    }
    if (found.isDurable) {
      const arn = await engine.startDurable(
        String(headers['x-amz-durable-execution-name'] ?? randomUUID()),
        text,
        found.key,
      );
      return { status: 202, body: '', headers: { 'x-amz-durable-execution-arn': arn } };
    }
    await invocations.accept(found.key, text, context);
    return { status: 202, body: '' };
  },
  'GET /2015-03-31/functions/{name}/configuration': async ({ parameter }, { describeFunction }) => {
    if (describeFunction === undefined) throw unknownOperation('GetFunctionConfiguration');
    return replyOk(describeFunction(parameter));
  },
  'POST /2025-12-01/durable-executions/{arn}/checkpoint': async ({ parameter, text }, { engine }) => {
    const { CheckpointToken, ClientToken, Updates = [] } = JSON.parse(text);
    return replyOk(await engine.checkpoint(parameter, CheckpointToken, Updates, ClientToken));
  },
  'GET /2025-12-01/durable-executions/{arn}/state': async ({ parameter }, { engine }) =>
    replyOk(engine.getState(parameter)),
  'GET /2025-12-01/durable-executions/{arn}/history': async ({ parameter, query }, { engine }) => {
    const withData = query.get('IncludeExecutionData') !== 'false';
    const { failure } = engine.getOutcome(parameter);
    const events = listCallbackEvents(engine.getDurableState(parameter), withData);
    return replyOk(pageOf([...(failure === null ? [] : [invocationFailed(failure)]), ...events], query));
  },
  'POST /2025-12-01/durable-executions/{arn}/stop': async ({ parameter }, { engine }) => {
    await engine.stop(parameter);
    return replyOk({ StopTimestamp: Date.now() / 1_000 });
  },
  'GET /2025-12-01/durable-executions/{arn}': async ({ parameter }, { engine }) => {
    const { status } = engine.getDurableState(parameter);
    const { result } = engine.getOutcome(parameter);
    const Result = status === 'succeeded' && result !== null ? { Result: result } : {};
    return replyOk({ DurableExecutionArn: parameter, Status: STATUSES[status], ...Result });
  },
  'POST /2025-12-01/durable-execution-callbacks/{id}/succeed': async ({ parameter, text }, { engine }) => {
    await engine.answer(parameter, text);
    return replyOk({});
  },
};

const findRoute = createRouter(Object.keys(operations).map((event) => ({ event, functionKey: event })));

/** Validates an invocation as Lambda does. @returns its type */
const checkInvocation = (
  headers: IncomingMessage['headers'],
  text: string,
  { takes, isDurable }: LambdaFunction,
  name: string,
): 'Event' | 'RequestResponse' => {
  const type = headers['x-amz-invocation-type'] ?? 'RequestResponse';
  if (type !== 'Event' && type !== 'RequestResponse')
    throw new InvalidParameterValueException(`There is no invocation type ${type}`);
  if (takes !== undefined && type !== takes)
    throw new ApiError('ResourceNotFoundException', `there is no function ${name}`, 404);
  if (isDurable && type !== 'Event')
    throw new InvalidParameterValueException(
      'You cannot synchronously invoke a durable function with an executionTimeout greater than 15 minutes.',
    );
  if (Buffer.byteLength(text) > (type === 'Event' ? LIMITS.inputBytes : MAX_SYNCHRONOUS_BYTES)) {
    throw new ApiError('RequestTooLargeException', `an event has at most ${LIMITS.inputBytes} bytes`, 413);
  }
  try {
    JSON.parse(text);
  } catch {
    throw new ApiError('InvalidRequestContentException', 'the event is not JSON');
  }
  return type;
};

/** Documented at https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const MAX_SYNCHRONOUS_BYTES = 6 * 1024 * 1024;

/** Invokes a function and waits. An error of the function is an answer with a header that says so. */
const invokeAndWait = async (text: string, invoke: (event: unknown) => Promise<unknown>): Promise<Reply> => {
  try {
    return replyOk(await invoke(JSON.parse(text)));
  } catch (error) {
    const [, errorType = 'Error', errorMessage = ''] =
      /^(?:(\w+): )?(.*)$/s.exec((error as Error).message) ?? [];
    const headers = { 'x-amz-function-error': 'Unhandled' };
    return { status: 200, body: { errorType, errorMessage, trace: [] }, headers };
  }
};

/** Decodes the client context, which is base64-encoded JSON. */
const readClientContext = (headers: IncomingMessage['headers']): { readonly clientContext?: unknown } => {
  const encoded = headers['x-amz-client-context'];
  if (typeof encoded !== 'string') return {};
  return { clientContext: JSON.parse(Buffer.from(encoded, 'base64').toString()) };
};

/** The part of Lambda's HTTP API that invokes functions, in front of the local engine. */
export const startEngineServer = (engines: Engines): Promise<InternalServer> =>
  startInternalServer(
    createServer((request, response) => {
      serveEngine(request, engines).then(
        (reply) => sendReply(response, reply, reply.headers ?? {}),
        (error: unknown) => sendReply(response, ...toRefusal(error)),
      );
    }),
  );

const serveEngine = async (request: IncomingMessage, engines: Engines): Promise<Reply> => {
  const text = await readText(request);
  const { path, query } = splitTarget(request.url ?? '');
  const route = findRoute(request.method ?? '', path);
  const operate = operations[route?.functionKey ?? ''];
  const [parameter] = Object.values(route?.pathParameters ?? {});
  if (operate === undefined || parameter === undefined) {
    throw unknownOperation(`${request.method} ${path}`);
  }
  return operate({ parameter, query: new URLSearchParams(query), headers: request.headers, text }, engines);
};

const unknownOperation = (operation: string): ApiError =>
  new ApiError('UnknownOperationException', `${operation} is not part of the local engine`, 404);

const toRefusal = (error: unknown): [Reply, Record<string, string>] => {
  const message = error instanceof Error ? error.message : String(error);
  const { status, name } = error instanceof ApiError ? error : { status: 500, name: 'ServiceException' };
  return [{ status, body: { Type: 'User', message, Message: message } }, { 'x-amzn-errortype': name }];
};

/** Writes dates as seconds since the epoch, like Lambda. */
const sendReply = (
  response: ServerResponse,
  { status, body }: Reply,
  headers: Record<string, string>,
): void => {
  const text = JSON.stringify(body, function (this: Record<string, unknown>, key, value) {
    const original = this[key];
    return original instanceof Date ? original.getTime() / 1_000 : value;
  });
  // With its length, an answer takes one write.
  const fixed = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, { ...fixed, ...headers }).end(text);
};
