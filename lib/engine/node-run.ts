import {
  type DeliveredInput,
  ERROR_OUTPUT,
  type JsonObject,
  MAIN_OUTPUT,
  type RunControl,
  type Usage,
} from '@hookloom/plugin-kit';
import type { Scope } from '../workflows/expressions/scope.ts';
import type { PlanNode } from '../workflows/plan/plan.ts';
import {
  type AttemptTime,
  type FailedItems,
  failOpenNodes,
  type NodeFailure,
  type NodeRecord,
  type PlannedRetry,
  type WaitTime,
} from './result.ts';
import type { Attempt, Given, StepResult } from './steps.ts';

/** A node's data by output. */
export type Outputs = Readonly<Record<string, JsonObject>>;

/**
 * Identifies a node run within its execution. It names the step and the checkpoint, and is part of the idempotency key.
 * @returns `node/iteration`, preceded by the prefix of the inner run
 */
export const nodeKeyOf = ({
  nodeId,
  iteration,
  within = '',
}: Pick<NodeRecord, 'nodeId' | 'iteration' | 'within'>): string =>
  within === '' ? `${nodeId}/${iteration}` : `${within}/${nodeId}/${iteration}`;

/** A run of a node, with all its attempts. */
export interface NodeRun {
  readonly planNode: PlanNode;
  readonly input: JsonObject;
  readonly inputs: readonly DeliveredInput[];
  readonly iteration: number;
  /** The key of the node run: see `nodeKeyOf`. */
  readonly key: string;
  /** The enclosing node run: see {@link NodeRecord}; empty in the workflow's own run. */
  readonly within: string;
  /**
   * Returns the signal that is aborted when the run or the execution ends before the node. A function, since few node
   * runs need a signal.
   */
  readonly signal: () => AbortSignal;
  /** What expressions can read; null when the node's parameters hold no expression. */
  readonly scope: Scope | null;
  /** When the node started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The operations of a control node; null for other nodes. */
  control: RunControl | null;
  /** Number of the latest attempt. Earlier processes may have made some of the attempts. */
  attempts: number;
  /** When the attempts that this process has made ran; empty if the node is no step. */
  attemptTimes: readonly AttemptTime[];
  /** The first waits of a control node: see {@link NodeRecord}. */
  waits: readonly WaitTime[];
  /** What the latest attempt has counted in this process; null if nothing. */
  usage: Usage | null;
  /** The attempt that follows the latest one; null if none is planned. */
  retry: PlannedRetry | null;
  /** Whether it starts after items have failed: see {@link Given}. */
  readonly startsPartial: boolean;
  /** The items of its body that have failed; null for none. */
  failedItems: FailedItems | null;
  /** Whether items have failed, of its own body or inside. */
  isPartial: boolean;
  /** The execution from whose id its idempotency key is derived; the session's if absent. */
  keyId?: string | undefined;
  /** Names of the node run's open callbacks: those not answered yet. */
  callbacks: readonly string[];
  /** How the node run ended; null while it is open. */
  outcome: Outcome | null;
}

/** What the checkpoints of a node run depend on. */
export const givenOf = ({ startsPartial, planNode, inputs, scope }: NodeRun): Given => ({
  isPartial: startsPartial,
  toText: () => JSON.stringify([planNode.node.parameters, inputs, scope?.nodes, scope?.item]),
});

/** A node run before its first attempt. */
export const unattempted = {
  attempts: 0,
  attemptTimes: [],
  waits: [],
  usage: null,
  retry: null,
  callbacks: [],
  failedItems: null,
  isPartial: false,
} as const;

export interface Outcome {
  readonly record: NodeRecord;
  readonly outputs: Outputs;
  /** The failure, if it ends the execution. */
  readonly fatal: NodeFailure | null;
}

/**
 * Applies the node's `onError`.
 *
 * @param format - of the workflow file: see {@link toFailedData}
 */
export const toOutcome = (
  run: NodeRun,
  result: Attempt | StepResult,
  endedAt: number,
  format: number,
): Outcome => {
  const { node } = run.planNode;
  const { attempts = 1, usage } = result as Attempt & Partial<StepResult>;
  const record = toNodeRecord(run, 'outputs' in result ? 'succeeded' : 'failed');
  record.attempts = attempts;
  if (usage !== undefined) record.usage = usage;
  record.durationMs = endedAt - run.startedAt;
  record.input = run.input;
  if ('outputs' in result) {
    const { outputs } = result;
    record.outputs = outputs;
    return { record, outputs, fatal: null };
  }
  const { name, message, details } = result.failure;
  const fatal = Object.freeze({ nodeId: node.id, name, message });
  const failure = details === undefined ? fatal : Object.freeze({ ...fatal, details });
  record.failure = failure;
  const { onError = 'fail' } = node.settings ?? {};
  if (onError === 'fail') return { record, outputs: {}, fatal };
  const data = Object.freeze(toFailedData(run.input, failure, format));
  return { record, outputs: { [onError === 'route' ? ERROR_OUTPUT : MAIN_OUTPUT]: data }, fatal: null };
};

/**
 * What a failed node delivers if its failure does not end the execution: the error beside the input, so that no field of
 * the input passes as one of the node's own. In format 1 of workflow files, the error is added to the input.
 */
export const toFailedData = (input: JsonObject, error: JsonObject, format = 1): JsonObject =>
  format > 1 ? { error, input } : { ...input, error };

/** Passes the input of a disabled node on as its output. */
export const passThrough = (run: NodeRun): Outcome => ({
  record: { ...toNodeRecord(run, 'passedThrough') },
  outputs: { [MAIN_OUTPUT]: run.input },
  fatal: null,
});

/**
 * The record of a node run that is open, or that did nothing. Its fields are assigned one by one, since spreading them would
 * allocate several objects for each node of each request.
 */
export const toNodeRecord = (
  run: Omit<
    NodeRun,
    'input' | 'inputs' | 'key' | 'signal' | 'scope' | 'control' | 'outcome' | 'startsPartial'
  >,
  status: NodeRecord['status'],
): NewRecord => {
  const { node } = run.planNode;
  const { attempts, retry, waits, usage, callbacks, failedItems } = run;
  const record: NewRecord = {
    nodeId: node.id,
    type: node.type,
    status,
    iteration: run.iteration,
    attempts,
    startedAt: run.startedAt,
    durationMs: 0,
  };
  if (run.within !== '') record.within = run.within;
  // Of a single attempt, start and duration say when it ran.
  if (attempts >= 2 || retry !== null) record.attemptTimes = run.attemptTimes;
  if (waits.length > 0) record.waits = waits;
  if (usage !== null) record.usage = usage;
  if (callbacks.length > 0) record.callbacks = callbacks;
  if (failedItems !== null) record.failedItems = failedItems;
  return record;
};

/** A record that is being made. */
type NewRecord = { -readonly [Field in keyof NodeRecord]: NodeRecord[Field] };

/**
 * Merges what the connections delivered, in their order; where keys collide, the last one wins. A single delivery is
 * not copied. `fromEntries` defines keys instead of assigning them, so `__proto__` is plain data. The result is frozen
 * like all data, since a disabled or failed node may deliver it to several nodes.
 */
export const mergeInputs = (inputs: readonly DeliveredInput[]): JsonObject => {
  const [first] = inputs;
  if (inputs.length === 1 && first !== undefined) return first.data;
  return Object.freeze(Object.fromEntries(inputs.flatMap(({ data }) => Object.entries(data))));
};

/** The data on `main`, or on the first output if there is no `main`. */
export const mainOf = (outputs: Outputs): JsonObject =>
  outputs[MAIN_OUTPUT] ?? Object.values(outputs)[0] ?? {};

/** The records of one run, in the order in which its nodes started. */
export class RunRecords {
  /** The node records; for an open node run, the run itself. */
  readonly #entries: (NodeRecord | NodeRun)[] = [];
  /** Open node runs, with their positions in the entries. */
  readonly #open = new Map<NodeRun, number>();
  /** Inner runs by the key of their node run, in the order of their creation. */
  readonly #inner = new Map<string, { collect(): NodeRecord[] }[]>();

  get hasOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Id of the first of the running nodes. */
  get currentNodeId(): string {
    const [first] = this.#open.keys();
    return first?.planNode.node.id ?? '';
  }

  add(record: NodeRecord): void {
    this.#entries.push(record);
  }

  open(run: NodeRun): void {
    this.#open.set(run, this.#entries.push(run) - 1);
  }

  close(run: NodeRun, record: NodeRecord): void {
    this.#entries[this.#open.get(run) ?? -1] = record;
    this.#open.delete(run);
  }

  addInner(key: string, run: { collect(): NodeRecord[] }): void {
    this.#inner.set(key, [...(this.#inner.get(key) ?? []), run]);
  }

  /** Fails the nodes that are running, those of inner runs included. */
  failOpen(endedAt: number, reason: Error): void {
    const records = failOpenNodes(this.collect(), endedAt, reason);
    this.#inner.clear(); // theirs are among the records
    this.#open.clear();
    this.#entries.splice(0, this.#entries.length, ...records);
  }

  /** Returns all records; those of inner runs follow their node. */
  collect(): NodeRecord[] {
    const records: NodeRecord[] = [];
    for (const entry of this.#entries)
      records.push('planNode' in entry ? (entry.outcome?.record ?? toOpenRecord(entry)) : entry);
    if (this.#inner.size === 0) return records;
    return records.flatMap((record) => [
      record,
      ...(this.#inner.get(nodeKeyOf(record)) ?? []).flatMap((run) => run.collect()),
    ]);
  }
}

const toOpenRecord = (run: NodeRun): NodeRecord => {
  const suspends = run.planNode.nodeType.control?.suspends === true;
  const record = toNodeRecord(run, suspends ? 'waiting' : 'running');
  return run.retry === null ? record : { ...record, retry: run.retry };
};
