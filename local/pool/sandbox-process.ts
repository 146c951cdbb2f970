import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { ANSWER_FD, type FromProcess, type FunctionVersion, type ToProcess } from './messages.ts';

// The process of a pool: loads one function, then calls it for one event after the other, as a Lambda sandbox does.

type Handler = (event: unknown, context: unknown) => unknown;

/** Lambda's limit for what a function gives. Bytes of JSON. */
const MAX_OUTPUT_BYTES = 6_291_556;

let loaded: { readonly version: FunctionVersion; readonly handler: Handler } | null = null;

/**
 * Written before this returns: what a handler gives may end the process as soon as it was turned into JSON, in a
 * microtask of its `toJSON`, since on Lambda the answer has been taken by then.
 */
const say = (message: FromProcess): void => sendText(JSON.stringify(message));

const sendText = (json: string): void => {
  const bytes = Buffer.from(`${json}\n`);
  for (let at = 0; at < bytes.length; ) at += writeSync(ANSWER_FD, bytes, at);
};

const load = async (version: FunctionVersion): Promise<void> => {
  Object.assign(process.env, version.environment);
  const module: Record<string, unknown> = await import(pathToFileURL(version.file).href);
  const { default: whole } = module as { readonly default?: Record<string, unknown> };
  const handler = module[version.exportName] ?? whole?.[version.exportName];
  if (typeof handler !== 'function') throw new Error(`it exports no function ${version.exportName}`);
  loaded = { version, handler: handler as Handler };
  say({ kind: 'loaded' });
};

/** The part of Lambda's context that a function on this machine can rely on. */
const createContext = ({ key, timeoutMs }: FunctionVersion, requestId: string) => {
  const deadline = Date.now() + timeoutMs;
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: false,
    functionName: key,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${key}`,
    logGroupName: `/aws/lambda/${key}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
};

const invoke = async (event: unknown, requestId: string): Promise<void> => {
  if (loaded === null) throw new Error('the process was given no function');
  say({ kind: 'began' });
  const { version, handler } = loaded;
  const output = (await handler(event, createContext(version, requestId))) ?? null;
  const answer = JSON.stringify({ kind: 'done', output } satisfies FromProcess);
  if (Buffer.byteLength(answer) > MAX_OUTPUT_BYTES) {
    throw new Error(`its result has more than the ${MAX_OUTPUT_BYTES} bytes that Lambda takes`);
  }
  sendText(answer);
};

const describe = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

process.on('message', (message: ToProcess) => {
  const work = message.kind === 'load' ? load(message.version) : invoke(message.event, message.requestId);
  work.catch((error: unknown) => {
    if (error instanceof Error && error.stack !== undefined) process.stderr.write(`${error.stack}\n`);
    say({ kind: 'failed', reason: describe(error) });
  });
});
process.on('SIGINT', () => {}); // Ctrl+C reaches the whole group: the service ends its processes itself
process.once('disconnect', () => process.exit(1)); // the service has ended
