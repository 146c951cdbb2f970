import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRouter } from '../gateway/routes.ts';
import { splitTarget } from '../gateway/to-event.ts';
import { type InternalServer, startInternalServer } from '../net/listen.ts';
import type { AsyncInvocations } from './async-invocations.ts';
import { invocationFailed, listCallbackEvents, pageOf } from './callback-history.ts';
import { LIMITS } from './durable-state.ts';
import { EngineError, InvalidParameterValueException } from './engine-error.ts';
import type { LocalEngine } from './local-engine.ts';
import type { AsyncFunction } from './state-store.ts';

/** A parsed request of Lambda's API. */
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
  readonly invoke: (functionKey: string, event: unknown) => Promise<unknown>;
}

type Operation = (request: ApiRequest, engines: Engines) => Promise<Reply>;

const ok = (body: unknown): Reply => ({ status: 200, body });

/** Lambda's names of the statuses. */
const STATUSES = {
  running: 'RUNNING',
  succeeded: 'SUCCEEDED',
  failed: 'FAILED',
  timedOut: 'TIMED_OUT',
  stopped: 'STOPPED',
} as const;

const ASYNC_FUNCTIONS: readonly AsyncFunction[] = ['runExpress', 'dispatch', 'sweep'];

/** By route. Each route has one parameter. */
const operations: Readonly<Record<string, Operation>> = {
  'POST /2015-03-31/functions/{name}/invocations': async (
    { parameter, headers, text },
    { engine, invocations, invoke },
  ) => {
    checkInvocation(headers, text, parameter);
    if (headers['x-amz-invocation-type'] === 'RequestResponse') return invokeAndWait(parameter, text, invoke);
    const name = headers['x-amz-durable-execution-name'];
    if (isDurable(parameter) && typeof name === 'string') {
      const arn = await engine.startDurable(name, text);
      return { status: 202, body: '', headers: { 'x-amz-durable-execution-arn': arn } };
    } else {
      const invoked = ASYNC_FUNCTIONS.find((key) => parameter.endsWith(`-${key}`));
      if (invoked === undefined)
        throw new EngineError('ResourceNotFoundException', 404, `there is no function ${parameter}`);
      await invocations.accept(invoked, text);
    }
    return { status: 202, body: '' };
  },
  'POST /2025-12-01/durable-executions/{arn}/checkpoint': async ({ parameter, text }, { engine }) => {
    const { CheckpointToken, ClientToken, Updates = [] } = JSON.parse(text);
    return ok(await engine.checkpoint(parameter, CheckpointToken, Updates, ClientToken));
  },
  'GET /2025-12-01/durable-executions/{arn}/state': async ({ parameter }, { engine }) =>
    ok(engine.getState(parameter)),
  'GET /2025-12-01/durable-executions/{arn}/history': async ({ parameter, query }, { engine }) => {
    const withData = query.get('IncludeExecutionData') !== 'false';
    const { failure } = engine.getOutcome(parameter);
    const events = listCallbackEvents(engine.getDurableState(parameter), withData);
    return ok(pageOf([...(failure === null ? [] : [invocationFailed(failure)]), ...events], query));
  },
  'POST /2025-12-01/durable-executions/{arn}/stop': async ({ parameter }, { engine }) => {
    await engine.stop(parameter);
    return ok({ StopTimestamp: Date.now() / 1_000 });
  },
  'GET /2025-12-01/durable-executions/{arn}': async ({ parameter }, { engine }) => {
    const { status } = engine.getDurableState(parameter);
    const { result } = engine.getOutcome(parameter);
    const Result = status === 'succeeded' && result !== null ? { Result: result } : {};
    return ok({ DurableExecutionArn: parameter, Status: STATUSES[status], ...Result });
  },
  'POST /2025-12-01/durable-execution-callbacks/{id}/succeed': async ({ parameter, text }, { engine }) => {
    await engine.answer(parameter, text);
    return ok({});
  },
};

const findRoute = createRouter(Object.keys(operations).map((event) => ({ event, functionKey: event })));

const isDurable = (name: string): boolean => /runDurable:durable$/.test(name);

/** Lambda's checks of an invocation. */
const checkInvocation = (headers: IncomingMessage['headers'], text: string, name: string): void => {
  const type = headers['x-amz-invocation-type'];
  if (type !== 'Event' && type !== 'RequestResponse')
    throw new InvalidParameterValueException(`There is no invocation type ${type}`);
  if (isDurable(name) && type !== 'Event')
    throw new InvalidParameterValueException(
      'You cannot synchronously invoke a durable function with an executionTimeout greater than 15 minutes.',
    );
  if (Buffer.byteLength(text) > LIMITS.inputBytes) {
    throw new EngineError('RequestTooLargeException', 413, `an event has at most ${LIMITS.inputBytes} bytes`);
  }
  try {
    JSON.parse(text);
  } catch {
    throw new EngineError('InvalidRequestContentException', 400, 'the event is not JSON');
  }
};

/** The error of a function is an answer with a header that says so. */
const invokeAndWait = async (name: string, text: string, invoke: Engines['invoke']): Promise<Reply> => {
  const functionKey = /\w+$/.exec(name)?.[0] ?? name;
  try {
    return ok(await invoke(functionKey, JSON.parse(text)));
  } catch (error) {
    const body = { errorType: 'Error', errorMessage: (error as Error).message, trace: [] };
    return { status: 200, body, headers: { 'x-amz-function-error': 'Unhandled' } };
  }
};

/** The part of Lambda's HTTP API that the service uses, in front of the local engine. */
export const startEngineServer = (engines: Engines): Promise<InternalServer> =>
  startInternalServer(
    createServer((request, response) => {
      serve(request, engines).then(
        (reply) => send(response, reply, reply.headers ?? {}),
        (error: unknown) => send(response, ...toRefusal(error)),
      );
    }),
  );

const serve = async (request: IncomingMessage, engines: Engines): Promise<Reply> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const { path, query } = splitTarget(request.url ?? '');
  const route = findRoute(request.method ?? '', path);
  const operate = operations[route?.functionKey ?? ''];
  const [parameter] = Object.values(route?.pathParameters ?? {});
  if (operate === undefined || parameter === undefined) {
    const message = `${request.method} ${path} is not part of the local engine`;
    throw new EngineError('UnknownOperationException', 404, message);
  }
  return operate({ parameter, query: new URLSearchParams(query), headers: request.headers, text }, engines);
};

const toRefusal = (error: unknown): [Reply, Record<string, string>] => {
  const message = error instanceof Error ? error.message : String(error);
  const { status, name } = error instanceof EngineError ? error : { status: 500, name: 'ServiceException' };
  return [{ status, body: { Type: 'User', message, Message: message } }, { 'x-amzn-errortype': name }];
};

/** Writes dates as seconds since the epoch, like Lambda. */
const send = (response: ServerResponse, { status, body }: Reply, headers: Record<string, string>): void => {
  const text = JSON.stringify(body, function (this: Record<string, unknown>, key, value) {
    const original = this[key];
    return original instanceof Date ? original.getTime() / 1_000 : value;
  });
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
};
