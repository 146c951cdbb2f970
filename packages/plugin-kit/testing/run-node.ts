import { isPlainObject, type JsonObject, type JsonValue } from '../contract/json.ts';
import {
  type DeliveredInput,
  Emission,
  MAIN_OUTPUT,
  type NodeContext,
  type RunControl,
  type Usage,
  type WorkflowNode,
} from '../contract/node.ts';
import { type CheckedOptions, checkOptions } from '../contract/options.ts';
import type { PluginHandle } from '../contract/plugin.ts';
import { checkPolled, type Polled } from '../contract/polled.ts';
import type { AwsCall, Clock, Logger, TcpClient } from '../contract/services.ts';
import type { State } from '../contract/state.ts';
import { checkDelivered } from './check-outputs.ts';
import { type AwsAnswers, createFakeAws } from './fake-aws.ts';
import { lendCredential, type TestCredential } from './fake-credential.ts';
import { createFakeFiles, type FakeFiles } from './fake-files.ts';
import { createFakeHttp, type HttpAnswers, type SentRequest } from './fake-http.ts';

/** When a test begins. */
const START = Date.UTC(2026, 0, 1);

/** What one attempt at a node receives. */
export interface NodeTest {
  /** The node's parameters: values, not expressions. */
  readonly parameters?: JsonObject;
  readonly input?: JsonObject;
  /** The data of each connection; by default only the input. */
  readonly inputs?: readonly DeliveredInput[];
  readonly credential?: TestCredential;
  /** The expected requests with their answers; none by default. */
  readonly http?: HttpAnswers;
  /** The expected AWS calls with their answers; none by default. */
  readonly aws?: AwsAnswers;
  /** Connections other than HTTP; refused by default. */
  readonly tcp?: TcpClient;
  readonly files?: FakeFiles;
  /** Answers the operations on state; refused by default. */
  readonly state?: State['run'];
  /** Operations that replace the default ones, for a node type with `control`. */
  readonly control?: Partial<RunControl>;
  /** The time that the node sees, in milliseconds since the epoch; 2026-01-01 by default. */
  readonly now?: number;
  /** Number of the attempt; 1 by default. */
  readonly attempt?: number;
  readonly signal?: AbortSignal;
}

export interface NodeTestResult {
  /** The data by name of the output. */
  readonly outputs: Readonly<Record<string, JsonObject>>;
  readonly requests: readonly SentRequest[];
  /** The AWS calls that were made. */
  readonly calls: readonly AwsCall[];
  readonly log: readonly LogEntry[];
  readonly files: FakeFiles;
  /** The length of each sleep, in milliseconds. */
  readonly sleeps: readonly number[];
  /** What `context.addUsage` has counted, by name. */
  readonly usage: Usage;
}

/**
 * Runs a node once as the service does, without a network, a clock or a store. A trigger gets no credential: it is for
 * `firedBy`.
 * @throws the node's error, or Error for a request that was not expected or not sent, or an output that the service would
 * refuse, or that is not what the node type declares
 */
export const runNode = async (
  {
    id,
    kind,
    control,
    outputs: declared,
    execute,
  }: Pick<PluginHandle, 'id' | 'control' | 'outputs' | 'execute'> & Partial<Pick<PluginHandle, 'kind'>>,
  test: NodeTest = {},
): Promise<NodeTestResult> => {
  const { result, seen } = await runNodeOnce(
    { id, control, execute, hasCredential: kind !== 'trigger' },
    test,
  );
  const outputs = readOutputs(result);
  const { parameters = {}, input = {}, inputs = [deliverFromStart(input)] } = test;
  checkDelivered({ ...(declared && { outputs: declared }) }, { parameters, input, inputs, outputs });
  return { outputs, ...seen };
};

/** What a trigger's poll has found, what it starts, and what it did for that. */
export interface PollTestResult extends Omit<NodeTestResult, 'outputs'>, Polled {
  /** The input of `execute` in each execution that the service starts, or, with `perBatch`, in the one of all new items. */
  readonly starts: readonly JsonObject[];
  /** The keys that are known from now on. */
  readonly seen: readonly string[];
}

interface PollTest extends Omit<NodeTest, 'input' | 'inputs' | 'control'> {
  /** The poll before this one; null for the first. */
  readonly after?: Pick<PollTestResult, 'position' | 'seen'> | null;
}

/**
 * Polls once as the service does, with the credential, without a network, a clock or a store.
 *
 * @throws the error of the poll, or Error for a request that was not expected or not sent, or a result that the service would
 * refuse
 */
export const runPoll = async (
  { id, firedBy }: Pick<PluginHandle, 'id' | 'firedBy'>,
  { after = null, ...test }: PollTest = {},
): Promise<PollTestResult> => {
  const poll = typeof firedBy === 'object' ? firedBy.poll?.bind(firedBy) : undefined;
  if (poll === undefined) throw new TypeError(`${id} is no trigger that polls`);
  const { result, seen: did } = await runNodeOnce(
    { id, control: undefined, execute: poll, hasCredential: true },
    { ...test, input: { position: after?.position ?? null } },
  );
  const polled = checkPolled(result);
  const place = findNoJson({ ...polled }, 'the result');
  if (place !== null) throw new TypeError(`${place} can't be carried by JSON`);
  return { ...polled, ...toStarts(polled, after, test), ...did };
};

/** What the service starts after a poll: the first one starts nothing, unless `firstPoll` says so. */
const toStarts = (
  { items, keys }: Polled,
  after: PollTest['after'],
  { parameters = {}, now = START }: PollTest,
): Pick<PollTestResult, 'starts' | 'seen'> => {
  const known = new Set(after?.seen);
  const fresh = new Map(keys.map((key, at) => [key, items[at] ?? null] as const).reverse()); // the first counts
  for (const key of known) fresh.delete(key);

  const found = after === null && parameters.firstPoll !== 'all' ? [] : [...fresh].reverse();
  const polledAt = new Date(now).toISOString();
  const batch = { items: found.map(([, item]) => item), keys: found.map(([key]) => key), polledAt };
  const starts =
    parameters.perBatch !== true
      ? found.map(([key, item]) => ({ item, key, polledAt }))
      : found.length === 0
        ? []
        : [batch];
  return { starts, seen: [...new Set([...known, ...keys])] };
};

/** What a node type has found for a parameter, and what it did for that. */
export interface OptionsTestResult extends Omit<NodeTestResult, 'outputs'>, CheckedOptions {}

interface OptionsTest extends Omit<NodeTest, 'input' | 'inputs' | 'control'> {
  /** What the author has typed; nothing by default. */
  readonly search?: string;
  /** The `nextPage` of the options before these. */
  readonly page?: string | null;
}

/**
 * Finds the options of a parameter as the service does, with the credential, without a network, a clock or a store.
 *
 * @throws the error of the plugin, or Error for a request that was not expected or not sent, or options that the service would
 * refuse
 */
export const runOptions = async (
  { id, options = {} }: Pick<PluginHandle, 'id' | 'options'>,
  parameter: string,
  { search = '', page = null, ...test }: OptionsTest = {},
): Promise<OptionsTestResult> => {
  const find = Object.hasOwn(options, parameter) ? options[parameter] : undefined;
  if (find === undefined) throw new TypeError(`${id} finds no options for "${parameter}"`);
  const { result, seen } = await runNodeOnce(
    {
      ...{ id, control: undefined, hasCredential: true },
      execute: async ({ parameters }, _input, context) => {
        const call = { parameters, credential: context.credential, context };
        return checkOptions(await find({ ...call, search, page }), search);
      },
    },
    test,
  );
  return { ...result, ...seen };
};

/** Runs a node, a poll or what finds options once. @returns what it returned, and what it did */
const runNodeOnce = async <Result>(
  {
    id,
    control,
    execute,
    hasCredential,
  }: Pick<PluginHandle, 'id'> & {
    readonly control: PluginHandle['control'];
    readonly hasCredential: boolean;
    execute(node: WorkflowNode, input: JsonObject, context: NodeContext): Result | Promise<Result>;
  },
  test: NodeTest,
): Promise<{ readonly result: Result; readonly seen: Omit<NodeTestResult, 'outputs'> }> => {
  const { parameters = {}, now = START, files = createFakeFiles(), tcp = noTcp } = test;
  const state = { run: test.state ?? noState };
  const { signal = new AbortController().signal, credential = null } = test;
  const input = frozenCopy(test.input ?? {});
  const clock = createFakeClock(now);
  const { http, requests, assertDone } = createFakeHttp(test.http ?? [], credential, { clock, signal, tcp });
  const { aws, calls, assertDone: assertCalled } = createFakeAws(test.aws ?? []);
  const { logger, entries: log } = createFakeLogger();
  const ids = { next: () => 'id-1' };
  const usage: Record<string, number> = {};
  const context: NodeContext = {
    execution: {
      executionId: 'execution-1',
      workflowId: 'workflow-1',
      workflowVersion: 1,
      trigger: { nodeId: 'start', type: 'manualTrigger' },
      startedAt: new Date(now).toISOString(),
      stage: 'test',
    },
    attempt: test.attempt ?? 1,
    iteration: 0,
    inputs: test.inputs ?? [deliverFromStart(input)],
    logger,
    signal,
    remainingMs: () => 30_000,
    services: { http, tcp, clock, ids, files, aws, state },
    idempotencyKey: 'execution-1/node-1/0',
    credential: credential === null || !hasCredential ? null : lendCredential(credential),
    control: control === undefined ? null : createFakeControl(clock, test.control ?? {}),
    addUsage: (amounts) => {
      for (const [name, amount] of Object.entries(amounts)) usage[name] = (usage[name] ?? 0) + amount;
    },
  };
  const node = { id: 'node-1', type: id, parameters: frozenCopy(parameters) };
  const result = await execute(node, input, context);
  assertDone();
  assertCalled();
  return { result, seen: { requests, calls, log, files, sleeps: clock.sleeps, usage } };
};

const noTcp: TcpClient = {
  connect: () => Promise.reject(new Error('the node opened a connection, but none is expected')),
};

const noState: State['run'] = () =>
  Promise.reject(new Error('the node used state, but no operation is expected'));

const deliverFromStart = (data: JsonObject): DeliveredInput => ({
  sourceNodeId: 'start',
  sourceOutput: MAIN_OUTPUT,
  targetInput: MAIN_OUTPUT,
  data,
});

/** A frozen copy, so that a node that writes to it fails. */
const frozenCopy = (value: JsonObject): JsonObject =>
  freezeDeep(JSON.parse(JSON.stringify(value))) as JsonObject;

const freezeDeep = (value: JsonValue): JsonValue => {
  if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) freezeDeep(inner);
  return Object.freeze(value);
};

interface FakeClock extends Clock {
  /** The length of each sleep so far, in milliseconds. */
  readonly sleeps: readonly number[];
}

/**
 * A clock that moves only when something sleeps, which takes no real time. @param now - milliseconds since the epoch
 */
const createFakeClock = (now: number): FakeClock => {
  const sleeps: number[] = [];
  let time = now;
  return {
    sleeps,
    now: () => time,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      sleeps.push(ms);
      time += ms;
    },
  };
};

/**
 * The control of a run without an engine: a wait takes no time, a callback is never answered in time, a body delivers
 * its item, and a workflow its input.
 * @param changes - operations that replace these
 */
const createFakeControl = (clock: Clock, changes: Partial<RunControl>): RunControl => ({
  wait: (seconds) => clock.sleep(seconds * 1_000),
  openCallback: async (timeoutSeconds) => {
    const expiresAt = clock.now() + timeoutSeconds * 1_000;
    return { url: 'https://callback.example/1', expiresAt, answer: async () => null };
  },
  runBodies: async (items) => items.map((output) => ({ output })),
  runWorkflow: async (_workflowId, input) => ({ output: input }),
  ...changes,
});

/** The data that a node returned, by output. @throws TypeError with the place of what the service would refuse */
const readOutputs = (result: unknown): Readonly<Record<string, JsonObject>> => {
  const outputs = result instanceof Emission ? result.outputs : { [MAIN_OUTPUT]: result ?? {} };
  for (const [output, data] of Object.entries(outputs)) {
    if (!isPlainObject(data)) throw new TypeError(`the node must deliver an object on "${output}"`);
    const place = findNoJson(data, output);
    if (place !== null) throw new TypeError(`${place} can't be carried by JSON`);
  }
  return outputs as Readonly<Record<string, JsonObject>>;
};

/** The place of the first value that is not JSON; null if there is none. */
const findNoJson = (value: unknown, place: string): string | null => {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : place;
  if (!Array.isArray(value) && !isPlainObject(value)) return place;
  for (const [key, inner] of Object.entries(value)) {
    const found = findNoJson(inner, `${place}.${key}`);
    if (found !== null) return found;
  }
  return null;
};

export interface LogEntry {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const createFakeLogger = (): { readonly logger: Logger; readonly entries: readonly LogEntry[] } => {
  const entries: LogEntry[] = [];
  const record =
    (level: keyof Logger): Logger['info'] =>
    (message, fields = {}) =>
      void entries.push({ level, message, fields });
  return {
    entries,
    logger: { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') },
  };
};
