import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { EmbeddedDatabase } from '../database/open-items.ts';
import { type AsyncInvocations, createAsyncInvocations } from '../engine/async-invocations.ts';
import { type FindLambdaFunction, startEngineServer } from '../engine/engine-server.ts';
import { LocalEngine } from '../engine/local-engine.ts';
import { type AsyncInvocation, openStateStore } from '../engine/state-store.ts';
import { ApiError, InvalidParameterValueException } from '../net/api-error.ts';
import type { JsonObject } from '../net/json.ts';
import type { InternalServer } from '../net/listen.ts';
import { createInvoke, type ProcessPool } from '../pool/process-pool.ts';
import type { DeployedFunction } from './deployed-functions.ts';

/** How Lambda identifies functions: a name, a partial ARN or an ARN, with or without a version or alias. */
const NAME = /^(?:arn:[\w-]+:lambda:[\w-]+:)?(?:\d{12}:)?(?:function:)?([\w-]+)(?::([\w$-]+))?$/;

export const createFindFunction = (functions: readonly DeployedFunction[]): FindLambdaFunction => {
  const byName = new Map(functions.map((one) => [one.name, one]));
  return (given, asked) => {
    const [, name = '', inName] = NAME.exec(given) ?? [];
    const found = byName.get(name);
    const qualifier = asked ?? inName ?? null;
    if (found === undefined || !hasQualifier(found, qualifier))
      throw new ApiError('ResourceNotFoundException', `Function not found: ${given}`, 404);
    if (found.isDurable && qualifier === null)
      throw new InvalidParameterValueException(
        'You cannot invoke a durable function using an unqualified ARN.',
      );
    const invokedArn = qualifier === null ? found.arn : `${found.arn}:${qualifier}`;
    return { key: found.key, isDurable: found.isDurable, invokedArn };
  };
};

const hasQualifier = ({ aliases }: DeployedFunction, qualifier: string | null): boolean =>
  qualifier === null ||
  qualifier === '$LATEST' ||
  Object.hasOwn(aliases, qualifier) ||
  Object.values(aliases).includes(qualifier);

/** Lambda's own delays, in milliseconds. https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html */
export const LAMBDA_RETRIES_MS = [60_000, 120_000];

interface LambdaParts {
  readonly functions: readonly DeployedFunction[];
  readonly pool: Pick<ProcessPool, 'invoke'>;
  readonly database: EmbeddedDatabase;
  /** Between the attempts of an asynchronous invocation. */
  readonly retryDelaysMs: readonly number[];
  /** Puts an undeliverable event into its function's dead-letter queue, with the function's role. */
  readonly bury: (owner: DeployedFunction, invocation: AsyncInvocation) => Promise<void>;
  /** Whether the log says which process has an invocation of a function. */
  readonly isRun: (functionKey: string) => boolean;
  /** Names an asynchronous invocation in the log. */
  readonly labelOf: (functionKey: string, event: unknown) => string;
  readonly log: (line: string) => void;
}

export interface StageLambda extends InternalServer {
  readonly findFunction: FindLambdaFunction;
  /** Accepts an event for a function, as Lambda does from AWS services. */
  readonly accept: AsyncInvocations['accept'];
}

/** The engine's table, in addition to the template's. */
const STATE_TABLE = 'stage-engine';

/** A stage's Lambda: the engine with the functions of a template. */
export const startLambda = async (parts: LambdaParts): Promise<StageLambda> => {
  const { functions, pool, retryDelaysMs, log } = parts;
  const store = await openStateStore(parts.database, STATE_TABLE);
  const { isRun, labelOf } = parts;
  const invoke = createInvoke(pool, log, isRun);
  const durable = functions
    .filter(({ isDurable }) => isDurable)
    .map(({ key, arn, aliases }) => {
      const [version = '1'] = Object.values(aliases);
      return { key, versionArn: `${arn}:${version}`, isNamed: true };
    });
  const engine = new LocalEngine({
    store,
    invoke,
    log,
    durable,
    retryMs: Math.min(1_000, ...retryDelaysMs),
  });
  const giveUp = async (invocation: AsyncInvocation) => {
    const owner = functions.find(({ key }) => key === invocation.name);
    log(`${invocation.name}: gave up after ${invocation.failures} attempts: ${invocation.reason}`);
    if (owner !== undefined) await parts.bury(owner, invocation);
  };
  const invocations = createAsyncInvocations({ store, invoke, log, giveUp, labelOf }, retryDelaysMs);
  const findFunction = createFindFunction(functions);
  const server = await startEngineServer({
    engine,
    invocations,
    findFunction,
    describeFunction: (name) => describeConfiguration(functions, name),
    invoke: (functionKey, event, context, onLog) =>
      pool.invoke({ functionKey, event, requestId: crypto.randomUUID(), context, onLog }),
  });
  return {
    endpoint: server.endpoint,
    findFunction,
    accept: invocations.accept,
    stop: async () => {
      invocations.close();
      const closed = engine.close();
      await server.stop();
      await closed;
    },
  };
};

/** Documented at https://docs.aws.amazon.com/lambda/latest/api/API_GetFunctionConfiguration.html */
const describeConfiguration = (functions: readonly DeployedFunction[], given: string): JsonObject => {
  const [, name] = NAME.exec(given) ?? [];
  const found = functions.find((one) => one.name === name);
  if (found === undefined)
    throw new ApiError('ResourceNotFoundException', `Function not found: ${given}`, 404);
  return {
    FunctionName: found.name,
    FunctionArn: found.arn,
    Handler: found.handler,
    Role: found.role,
    Runtime: 'nodejs24.x',
    State: 'Active',
    Timeout: found.timeoutMs / 1_000,
    MemorySize: found.memoryMegabytes,
    Environment: { Variables: found.variables },
    ...(found.deadLetters === null ? {} : { DeadLetterConfig: { TargetArn: found.deadLetters } }),
  };
};

/**
 * Serves several origins under one.
 *
 * @param originOf - the origin for a request's path
 * @param check - throws ApiError when the request is refused
 */
export const createFork = (
  originOf: (path: string) => string,
  check: (method: string, path: string, body: string) => Promise<void>,
) =>
  createServer(async (request, response) => {
    const { method = '', url = '/', headers } = request;
    const body = await buffer(request);
    try {
      await check(method, url, body.toString());
    } catch (error) {
      const { name, message, status } = error as ApiError;
      const text = JSON.stringify({ Type: 'User', message, Message: message });
      response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': name }).end(text);
      return;
    }
    const { host: _host, connection: _connection, 'content-length': _length, ...rest } = headers;
    const answer = await fetch(`${originOf(url)}${url}`, {
      method,
      headers: rest as Record<string, string>,
      ...(body.length === 0 ? {} : { body }),
    });
    const given = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'transfer-encoding'));
    response.writeHead(answer.status, given).end(Buffer.from(await answer.arrayBuffer()));
  });
