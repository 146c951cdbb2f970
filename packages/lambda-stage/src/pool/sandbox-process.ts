import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import {
  ANSWER_FD,
  type FromProcess,
  type FunctionVersion,
  type InvocationContext,
  type ToProcess,
} from './messages.ts';

// A process of a pool: loads one function, then calls it for each event in sequence, like a Lambda sandbox.

type Handler = (event: unknown, context: unknown) => unknown;

/** Lambda's limit for a result, in bytes of JSON. */
const MAX_OUTPUT_BYTES = 6_291_556;

let loaded: { readonly version: FunctionVersion; readonly handler: Handler } | null = null;

/** The end of a log that Lambda returns, in bytes. https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html */
const TAIL_BYTES = 4_096;

/** The last bytes of the invocation's output. */
let tail = Buffer.alloc(0);
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream) as (...parts: readonly unknown[]) => boolean;
  stream.write = (...parts: readonly unknown[]) => {
    tail = Buffer.concat([tail, Buffer.from(parts[0] as string)]).subarray(-TAIL_BYTES);
    return write(...parts);
  };
}

const sendToPool = (message: FromProcess): void => sendText(JSON.stringify(message));

/**
 * Writes synchronously: the `toJSON` of a result may end the process in the next microtask, since on Lambda the result
 * is already accepted by then.
 */
const sendText = (json: string): void => {
  const bytes = Buffer.from(`${json}\n`);
  for (let at = 0; at < bytes.length; ) at += writeSync(ANSWER_FD, bytes, at);
};

const loadFunction = async (version: FunctionVersion): Promise<void> => {
  Object.assign(process.env, version.environment);
  const module: Record<string, unknown> = await import(pathToFileURL(version.file).href);
  const { default: whole } = module as { readonly default?: Record<string, unknown> };
  const handler = module[version.exportName] ?? whole?.[version.exportName];
  if (typeof handler !== 'function') throw new Error(`it exports no function ${version.exportName}`);
  loaded = { version, handler: handler as Handler };
  sendToPool({ kind: 'loaded' });
};

/** Lambda's context, without what only AWS has. */
const createContext = (
  { key, timeoutMs, identity }: FunctionVersion,
  requestId: string,
  context?: InvocationContext,
) => {
  const deadline = Date.now() + timeoutMs;
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: false,
    functionName: key,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${key}`,
    logGroupName: `/aws/lambda/${key}`,
    logStreamName: 'local',
    ...identity,
    ...context,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
};

const invokeFunction = async (
  event: unknown,
  requestId: string,
  context?: InvocationContext,
): Promise<void> => {
  if (loaded === null) throw new Error('the process has not loaded a function');
  sendToPool({ kind: 'began' });
  tail = Buffer.alloc(0);
  const { version, handler } = loaded;
  const output = (await handler(event, createContext(version, requestId, context))) ?? null;
  const json = JSON.stringify(output);
  if (Buffer.byteLength(json) > MAX_OUTPUT_BYTES) {
    throw new Error(`its result exceeds Lambda's limit of ${MAX_OUTPUT_BYTES} bytes`);
  }
  sendText(`{"kind":"done","log":${JSON.stringify(tail.toString())},"output":${json}}`);
};

const describeThrown = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

process.on('message', (message: ToProcess) => {
  const work =
    message.kind === 'load'
      ? loadFunction(message.version)
      : invokeFunction(message.event, message.requestId, message.context);
  work.catch((error: unknown) => {
    if (error instanceof Error && error.stack !== undefined) process.stderr.write(`${error.stack}\n`);
    sendToPool({ kind: 'failed', reason: describeThrown(error), log: tail.toString() });
  });
});
process.on('SIGINT', () => {}); // Ctrl+C signals the whole group, but the pool ends its processes itself
process.once('disconnect', () => process.exit(1)); // the pool's process ended
