import { hash } from 'node:crypto';
import type { Clock, JsonObject } from '@hookloom/plugin-kit';
import type { NodeFailure, NodeRecord } from '../../../engine/result.ts';
import { MAX_HELD_DAYS } from '../../../executions/held-queues.ts';
import { ACCEPTED_LEASE_MS } from '../../../executions/lifecycle/limits.ts';
import {
  type DueGroup,
  type EditedInput,
  type ExecutionData,
  type ExecutionEnd,
  type ExecutionMode,
  type ExecutionRecord,
  type ExecutionStart,
  type ExecutionSummary,
  type PendingCallback,
  TRIAL_VERSION,
} from '../../../executions/record/execution-store.ts';
import {
  type Attributes,
  type Item,
  json,
  longJson,
  longText,
  packed,
  readJson,
  readLongJson,
  readNumber,
  readPacked,
  readText,
} from '../attributes.ts';
import type { Change } from '../items.ts';

/** The condition that an execution has not ended. */
export const IS_OPEN = {
  condition: '#status IN (:accepted, :running, :waiting)',
  values: { ':accepted': 'accepted', ':running': 'running', ':waiting': 'waiting' },
};

export const SECONDS_PER_DAY = 86_400;

/** Longer than the longest execution (a year), so that the TTL never removes an open one. */
export const OPEN_DAYS = 400;

/**
 * The partitions of the index of sweeps, over which open executions are spread: an execution writes two units there,
 * and a partition takes 1,000 a second. Releases before version 4 of the schema read only the first four.
 */
const SWEEP_SHARDS = 32;

/** The partitions of the index by time, to which an execution writes one unit. */
const TIME_SHARDS = 16;

/** The partition keys of a group in the index of sweeps. */
export const shardsOf = (group: DueGroup): readonly string[] =>
  Array.from({ length: SWEEP_SHARDS }, (_, shard) => toShard(group, shard));

const hashOf = (id: string): number => hash('sha256', id, 'buffer')[0] ?? 0;

/**
 * Spreads the ids of executions evenly (FNV-1a). It need not be a digest that lasts, since each item says where it is.
 * http://www.isthe.com/chongo/tech/comp/fnv/
 */
const spread = (id: string): number => {
  let sum = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) sum = Math.imul(sum ^ id.charCodeAt(at), 0x01000193);
  return (sum ^ (sum >>> 15)) >>> 0;
};

/**
 * The partition keys of the index by time. Executions that ended badly, which people look for, are separate from the
 * others.
 */
export const timeShards = (endedBadly: boolean): readonly string[] =>
  Array.from({ length: TIME_SHARDS }, (_, shard) => toTimeShard(shard, endedBadly));

/** Returns the execution's partition in the index by time. */
export const timeShardOf = (executionId: string, endedBadly: boolean): string =>
  toTimeShard(spread(executionId) % TIME_SHARDS, endedBadly);

const toTimeShard = (shard: number, endedBadly: boolean): string => `${endedBadly ? 'f' : ''}${shard}`;

/**
 * The attributes by which the sweeper finds an execution. A run that renews its lease does not change them, since each
 * change to an index is billed; the sweeper moves them after checking the execution.
 */
export const toSweep = (executionId: string, group: DueGroup, sweepAt: number) => ({
  sweepShard: toShard(group, hashOf(executionId) % SWEEP_SHARDS),
  sweepAt: toIso(sweepAt),
});

/** @param at - milliseconds since the epoch */
export const toLease = (at: number) => ({ leaseExpiresAt: toIso(at) });

const toShard = (group: DueGroup, shard: number): string => `${group === 'waiting' ? 'w' : ''}${shard}`;

/** The key of a pending callback. No execution id has a colon; hashed, since names may be longer than a key. */
export const callbackKeyOf = (executionId: string, name: string): string =>
  `callback:${hash('sha256', `${executionId}/${name}`, 'base64url')}`;

/**
 * The partitions of the index by workflow that hold the pending callbacks, separate from executions, since no workflow
 * id contains a colon.
 */
const CALLBACK_SHARDS = 16;

/** The partitions of the pending callbacks of one workflow, or of all. */
export const callbackPartitions = (workflowId: string | null): readonly string[] =>
  workflowId === null
    ? Array.from({ length: CALLBACK_SHARDS }, (_, shard) => `callbacks:${shard}`)
    : [`callbacks:${hashOf(workflowId) % CALLBACK_SHARDS}`];

/** The partition of callbacks that releases before version 4 of the schema opened, ordered by opening. */
export const earlierCallbacksOf = (workflowId: string): string => `callbacks:${workflowId}`;

/** The partition, in the index by time, of callbacks that earlier releases opened and `migrate` found. */
export const EARLIER_CALLBACKS = 'callbacks';

/**
 * The attributes by which a pending callback is listed: its expiry and its workflow. None for a callback that no list
 * shows.
 */
export const toCallbackKeys = ({ subject, expiresAt }: PendingCallback): Attributes => {
  if (subject === undefined) return {};
  const [partition = ''] = callbackPartitions(subject.workflowId);
  return { workflowId: partition, startedAt: `${toIso(expiresAt)}#${subject.workflowId}` };
};

/** The attributes that {@link toCallbackKeys} returns. */
export const CALLBACK_KEYS = ['workflowId', 'startedAt'];

export const toCallback = (item: Item): PendingCallback => ({
  ...readJson<PendingCallback>(item, 'callback'),
  ...(item.answered === undefined ? {} : { answered: readJson(item, 'answered') }),
});

/** Formats a time as ISO 8601, since the indexes need times that sort as text. */
export const toIso = (ms: number): string => new Date(ms).toISOString();

/** The shards over which the executions of a high-volume workflow are spread, and the recorded requests of any. */
const WORKFLOW_SHARDS = 8;

/** The shard of a workflow for one execution or request. No workflow id has a number sign. */
export const workflowShardOf = (workflowId: string, id: string): string =>
  `${workflowId}#${hashOf(id) % WORKFLOW_SHARDS}`;

/** The workflow of an item that may be in one of its shards. */
export const workflowIn = (item: Item): string => readText(item, 'workflowId').replace(/#.$/, '');

/** The partition of an execution in the indexes by workflow. */
const workflowPartitionOf = ({
  executionId,
  workflowId,
  workflowVersion,
  isHighVolume,
}: ExecutionStart): string => {
  if (workflowVersion === TRIAL_VERSION) return trialsOf(workflowId);
  return isHighVolume === true ? workflowShardOf(workflowId, executionId) : workflowId;
};

/** The partition of a workflow's trials, so that lists without them read none. */
export const trialsOf = (workflowId: string): string => `${workflowId}#t`;

/** All partitions that may hold a workflow's executions other than trials, since `highVolume` may have changed. */
export const workflowPartitions = (workflowId: string): readonly string[] => [
  workflowId,
  ...Array.from({ length: WORKFLOW_SHARDS }, (_, shard) => `${workflowId}#${shard}`),
];

/** How long records are kept after their end; DynamoDB's TTL removes them, and may be days late. */
export interface Retention {
  readonly retentionDays: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** The expiry in seconds since the epoch, as DynamoDB's TTL expects. */
export const toExpiry = (fromMs: number, retentionDays: number): number =>
  Math.floor(fromMs / 1_000) + retentionDays * SECONDS_PER_DAY;

export const isExpired = (item: Item, now: number): boolean => readNumber(item, 'expiresAt') * 1_000 <= now;

const readTime = (item: Item, name: string): number | null =>
  item[name] === undefined ? null : Date.parse(readText(item, name));

/**
 * The attributes of a started execution.
 * @param sweep - its place in the index of sweeps: see `queueUp` for a held execution. An inline one has none
 */
export const toStartAttributes = (start: ExecutionStart, retentionDays: number, sweep?: Attributes) => {
  const { input } = start;
  const isInline = start.mode === 'inline';
  const isInBlob = input?.startsWith('b') === true; // see packText
  const inputUnits = isInBlob ? 0 : Math.ceil((DATA_BYTES + (input?.length ?? 0)) / 1_024);
  return {
    workflowId: workflowPartitionOf(start),
    workflowVersion: start.workflowVersion,
    trigger: json(start.trigger),
    mode: start.mode,
    status: start.status,
    startedAt: toIso(start.startedAt),
    timeShard: timeShardOf(start.executionId, false),
    startToken: start.startToken,
    expiresAt: toExpiry(start.startedAt, isInline ? retentionDays : OPEN_DAYS),
    // Stored, since the process that finishes it may have another setting; the command line has none.
    retentionSeconds: retentionDays * SECONDS_PER_DAY,
    retryOf: json(start.retryOf),
    traceparent: start.traceparent,
    requestId: start.requestId,
    editedInput: json(start.editedInput),
    keepsResult: start.keepsResult || null,
    held: start.held,
    hasMetrics: start.hasMetrics,
    maxCost: start.maxCost,
    inputUnits: inputUnits === 1 ? null : inputUnits,
    ...(isInline ? {} : (sweep ?? toFirstSweep(start))),
  };
};

/** Bytes of an item of data without the input. */
const DATA_BYTES = 250;

/**
 * Counts an update of a record by a run before its end, in the update itself: as `n`, since every write is billed by the size of
 * the record.
 */
export const COUNTED: Required<Pick<Change, 'compute' | 'values'>> = {
  compute: { n: 'if_not_exists(#n, :none) + :one' },
  values: { ':none': 0, ':one': 1 },
};

const toFirstSweep = ({ executionId, startedAt }: Pick<ExecutionStart, 'executionId' | 'startedAt'>) => {
  const sweepAt = startedAt + ACCEPTED_LEASE_MS;
  return { ...toLease(sweepAt), ...toSweep(executionId, 'active', sweepAt) };
};

/** The attributes of an execution that is dispatched now. */
export const toReleased = (executionId: string, releasedAt: number) => ({
  releasedAt: toIso(releasedAt),
  ...toFirstSweep({ executionId, startedAt: releasedAt }),
});

export const readRetryOf = (item: Item): ExecutionStart['retryOf'] =>
  readJson<ExecutionStart['retryOf']>(item, 'retryOf', null);

export const readFailure = (item: Item): NodeFailure | null =>
  readJson<NodeFailure | null>(item, 'failure', null);

export const toRecord = (item: Item): ExecutionRecord => ({
  ...toSummary(item),
  trigger: readJson<ExecutionStart['trigger']>(item, 'trigger'),
  startToken: item.startToken?.S ?? '',
  retryOf: readRetryOf(item),
  traceparent: item.traceparent?.S ?? null,
  requestId: item.requestId?.S ?? null,
  ...(item.editedInput === undefined ? {} : { editedInput: readJson<EditedInput>(item, 'editedInput') }),
  ...(item.retriedBy?.S === undefined ? {} : { retriedBy: item.retriedBy.S }),
  keepsResult: item.keepsResult?.BOOL === true,
  ...(item.hasMetrics?.BOOL === true ? { hasMetrics: true } : {}),
  ...(item.maxCost === undefined ? {} : { maxCost: readNumber(item, 'maxCost') }),
  nodes: readNodes(item),
  nodesOmitted: readNumber(item, 'nodesOmitted', 0),
  failure: readFailure(item),
  leaseOwner: item.leaseOwner?.S ?? null,
  invocations: readNumber(item, 'invocations', 0),
  journalSize: readNumber(item, 'journalSize', 0),
  ...(item.n === undefined ? {} : { writes: readNumber(item, 'n') }),
  ...(item.activeMs === undefined ? {} : { activeMs: readNumber(item, 'activeMs') }),
  ...(item.inputUnits === undefined ? {} : { inputUnits: readNumber(item, 'inputUnits') }),
  crashes: readNumber(item, 'crashes', 0),
  releasedAt: readTime(item, 'releasedAt'),
  redispatches: readNumber(item, 'redispatches', 0),
  result: readPacked(item, 'result'),
  isInOutbox: item.isInOutbox?.BOOL === true,
  ...(item.isUnlisted?.BOOL === true ? { isUnlisted: true } : {}),
  leaseExpiresAt: readTime(item, 'leaseExpiresAt'),
});

/** Reads the part of a record that lists show. */
export const toSummary = (item: Item): ExecutionSummary => ({
  executionId: readText(item, 'executionId'),
  workflowId: workflowIn(item),
  workflowVersion: readNumber(item, 'workflowVersion'),
  // Missing in old records: the first executions were all inline.
  mode: (item.mode?.S ?? 'inline') as ExecutionSummary['mode'],
  status: readText(item, 'status') as ExecutionSummary['status'],
  startedAt: Date.parse(readText(item, 'startedAt')),
  endedAt: readTime(item, 'endedAt'),
  held: (item.held?.S ?? null) as ExecutionSummary['held'],
});

/** Express runs start within a day, if at all, and run for minutes. */
const EXPRESS_DAYS = 2;

/** How long the data of a background run is kept after its start. */
export const dataDays = (mode: ExecutionMode, retentionDays: number): number =>
  mode === 'express' ? EXPRESS_DAYS + retentionDays : OPEN_DAYS;

/** The key of an execution's data, in the table of the records. No execution id has a colon. */
export const dataKeyOf = (executionId: string): string => `data:${executionId}`;

export const toDataAttributes = (
  { mode, held, startedAt, input, callbackKey, retriedCheckpoints, variables }: ExecutionStart,
  retentionDays: number,
): Attributes => {
  const days = dataDays(mode, retentionDays) + (held === null ? 0 : MAX_HELD_DAYS);
  return {
    input: packed(input),
    callbackKey,
    retriedCheckpoints: packed(retriedCheckpoints),
    variables: longJson(variables),
    expiresAt: toExpiry(startedAt, days),
    retentionSeconds: retentionDays * SECONDS_PER_DAY,
  };
};

export const toExecutionData = (item: Item): ExecutionData => ({
  input: readPacked(item, 'input'),
  callbackKey: item.callbackKey?.S ?? null,
  retriedCheckpoints: readPacked(item, 'retriedCheckpoints'),
  checkpoints: readPacked(item, 'checkpoints'),
  ...(item.variables === undefined ? {} : { variables: readLongJson<JsonObject>(item, 'variables', {}) }),
});

/** Lease of a finished execution in the outbox: after it, the sweeper publishes the end. */
export const OUTBOX_LEASE_MS = 60_000;

/**
 * The attributes of a finished record; it does not have undefined ones.
 * @param ran - its nodes, if they are plain and the record is new: see {@link toPlainNodes}
 */
export const toEndAttributes = (
  {
    status,
    endedAt,
    nodes,
    nodesOmitted = 0,
    failure,
    result,
    isInOutbox,
    activeMs,
    journalSize,
  }: ExecutionEnd,
  ran: string | null = null,
) => {
  const fitted = ran === null ? fitNodes(nodes) : null;
  return {
    status,
    endedAt: toIso(endedAt),
    ran,
    nodes: fitted?.stored,
    nodesOmitted: nodesOmitted + (fitted?.omitted ?? 0),
    failure: json(failure),
    result: packed(result),
    isInOutbox: isInOutbox || null,
    activeMs,
    journalSize,
    ...(isInOutbox ? toLease(endedAt + OUTBOX_LEASE_MS) : {}),
  };
};

/**
 * When to publish the end of a run that was never in the index of sweeps, such as an inline run, which enters it with
 * its end.
 */
export const toOutboxSweep = (executionId: string, { isInOutbox, endedAt }: ExecutionEnd): Attributes =>
  isInOutbox ? toSweep(executionId, 'active', endedAt + OUTBOX_LEASE_MS) : {};

/** The attributes with a record's expiry and what it is computed from. */
export type Expiry = Required<Pick<Change, 'compute' | 'values'>>;

/**
 * Ends a record. One that ended badly is added to the index of failures and moves to another partition of the index by
 * time.
 */
export const toEndChange = (executionId: string, end: ExecutionEnd, { compute, values }: Expiry): Change => {
  const isBad = end.status !== 'succeeded';
  const outboxSweep = toOutboxSweep(executionId, end);
  const sweep = unlessSwept(end.leavesQueue === true ? {} : outboxSweep);
  return {
    ...IS_OPEN,
    set: { ...toEndAttributes(end), ...(end.leavesQueue === true ? outboxSweep : {}) },
    compute: {
      ...compute,
      ...(isBad ? { failedWorkflowId: '#workflowId' } : {}),
      // Records that an earlier release started have none.
      timeShard: isBad ? ':timeShard' : 'if_not_exists(#timeShard, :timeShard)',
      ...sweep.compute,
    },
    values: {
      ...IS_OPEN.values,
      ...values,
      ':timeShard': timeShardOf(executionId, isBad),
      ...sweep.values,
    },
    remove: [...(end.isInOutbox ? [] : SWEPT_ATTRIBUTES), ...(end.leavesQueue === true ? ['held'] : [])],
  };
};

/** Sets attributes that a record does not have yet. */
export const unlessSwept = (attributes: Attributes): Expiry => {
  const entries = Object.entries(attributes);
  return {
    compute: Object.fromEntries(entries.map(([name]) => [name, `if_not_exists(#${name}, :${name})`])),
    values: Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
  };
};

/** The attributes whose removal takes a record out of the index of sweeps. */
export const SWEPT_ATTRIBUTES = ['sweepShard', 'sweepAt', 'leaseExpiresAt'];

/** A node that succeeded at its first attempt, or one that was skipped: id, type, start and duration. */
type PlainNode = readonly [nodeId: string, type: string, startedAt: number, durationMs?: number];

/** The most nodes that are stored as a list of numbers and names, which is not compressed. */
const MAX_PLAIN_NODES = 16;

/**
 * The nodes of a run without data of which each has succeeded once, or was skipped, in a form so short that it needs no
 * compression.
 *
 * @returns null for any other run
 */
export const toPlainNodes = (nodes: readonly NodeRecord[]): string | null => {
  if (nodes.length > MAX_PLAIN_NODES) return null;
  const plain: PlainNode[] = [];
  for (const node of nodes) {
    const { nodeId, type, status, iteration, attempts, startedAt, durationMs } = node;
    const isRun = status === 'succeeded' && attempts === 1;
    const isPlain = iteration === 0 && (isRun || (status === 'skipped' && attempts === 0));
    if (!isPlain || hasMore(node)) return null;
    plain.push(isRun ? [nodeId, type, startedAt, durationMs] : [nodeId, type, startedAt]);
  }
  return JSON.stringify(plain);
};

const PLAIN_FIELDS: ReadonlySet<string> = new Set<keyof NodeRecord>([
  'nodeId',
  'type',
  'status',
  'iteration',
  'attempts',
  'startedAt',
  'durationMs',
]);

const hasMore = (node: NodeRecord): boolean => {
  for (const field in node)
    if (!PLAIN_FIELDS.has(field) && node[field as keyof NodeRecord] !== undefined) return true;
  return false;
};

/** Reads the nodes of a record, from its attributes `nodes` or `ran`. */
export const readNodes = (item: Item): NodeRecord[] =>
  item.ran === undefined ? readLongJson(item, 'nodes', []) : readPlainNodes(item);

const readPlainNodes = (item: Item): NodeRecord[] =>
  readJson<readonly PlainNode[]>(item, 'ran').map(([nodeId, type, startedAt, durationMs]) => ({
    nodeId,
    type,
    status: durationMs === undefined ? 'skipped' : 'succeeded',
    iteration: 0,
    attempts: durationMs === undefined ? 0 : 1,
    startedAt,
    durationMs: durationMs ?? 0,
  }));

/** Maximum size as stored, compressed, in bytes. An item has at most 400 KB, and each kilobyte costs a write unit. */
const MAX_BYTES = 64_000;
/** Longer JSON is not even compressed to find out whether it fits. */
const MAX_CHARACTERS = 4_000_000;
/** Leaves room, because fewer records may compress a little worse. */
const MARGIN = 0.95;

/**
 * Chooses as many node records as fit in an item, in their order. If not all fit, the data of nodes that did not fail
 * is dropped first; then failed nodes, which operators look for, have priority over the earliest ones.
 */
export const fitNodes = (nodes: readonly NodeRecord[], maxBytes = MAX_BYTES) => {
  const whole = measureNodes(nodes, maxBytes);
  if (whole.stored !== null) return { stored: whole.stored, omitted: 0 };
  const bare = nodes.map(withoutData);
  const byPriority = [...bare.keys()].sort((a, b) => rankNode(bare[a]) - rankNode(bare[b]) || a - b);
  for (let count = bare.length; ; ) {
    const kept = new Set(byPriority.slice(0, count));
    const { stored, excess } = measureNodes(
      bare.filter((_, index) => kept.has(index)),
      maxBytes,
    );
    if (stored !== null) return { stored, omitted: bare.length - count };
    count = Math.min(count - 1, Math.ceil((count * MARGIN) / excess));
  }
};

/** @returns what to store, or null if it does not fit; and how many times the limit it takes */
const measureNodes = (nodes: readonly NodeRecord[], maxBytes: number) => {
  const written = JSON.stringify(nodes);
  if (written.length > MAX_CHARACTERS) return { stored: null, excess: written.length / MAX_CHARACTERS };
  const stored = longText(written);
  const excess = (stored.B?.length ?? written.length) / maxBytes;
  return excess > 1 && nodes.length > 0 ? { stored: null, excess } : { stored, excess };
};

const withoutData = (node: NodeRecord): NodeRecord => {
  if (node.status === 'failed') return node;
  const {
    input: _input,
    outputs: _outputs,
    reads: _reads,
    attemptTimes: _times,
    waits: _waits,
    ...rest
  } = node;
  return rest;
};

const rankNode = (node: NodeRecord | undefined): number =>
  node?.status === 'failed' || node?.failedItems !== undefined ? 0 : 1;
