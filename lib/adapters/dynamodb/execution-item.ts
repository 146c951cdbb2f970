import { createHash } from 'node:crypto';
import type { NodeFailure, NodeRecord } from '../../engine/result.ts';
import type {
  DueGroup,
  ExecutionRecord,
  ExecutionStart,
  ExecutionSummary,
  PendingCallback,
} from '../../executions/record/execution-store.ts';
import { flag, type Item, json, number, readJson, readNumber, readText, text } from './attributes.ts';

const SECONDS_PER_DAY = 86_400;

/** Longer than the longest execution (a year): an open one is never removed. */
export const OPEN_DAYS = 400;

/** When an accepted execution should have begun. */
const BEGIN_WITHIN_MS = 2 * 60_000;

/** Open executions are spread over as many keys of the index by time, so that none of them gets hot. */
const SHARD_COUNT = 4;

/** The keys of the index by time under which a group of open executions is found. */
export const shardsOf = (group: DueGroup): readonly string[] =>
  Array.from({ length: SHARD_COUNT }, (_, shard) => toShard(group, shard));

export const shardOf = (executionId: string, group: DueGroup): string =>
  toShard(group, (createHash('sha256').update(executionId).digest()[0] ?? 0) % SHARD_COUNT);

const toShard = (group: DueGroup, shard: number): string => `${group === 'waiting' ? 'w' : ''}${shard}`;

/** The key of a pending callback, which no execution's id can be. Hashed: a name may be longer than a key. */
export const callbackKeyOf = (executionId: string, name: string): string =>
  `callback:${createHash('sha256').update(`${executionId}/${name}`).digest('base64url')}`;

export const toCallback = (item: Item): PendingCallback => readJson<PendingCallback>(item, 'callback');

/** ISO 8601 sorts as it reads, which the indexes by time need. */
export const toIso = (ms: number): string => new Date(ms).toISOString();

/** Seconds since the epoch, which is what DynamoDB's TTL reads. */
export const toExpiry = (fromMs: number, retentionDays: number): number =>
  Math.floor(fromMs / 1_000) + retentionDays * SECONDS_PER_DAY;

export const isExpired = (item: Item, now: number): boolean => readNumber(item, 'expiresAt') * 1_000 <= now;

export const toItem = (start: ExecutionStart, retentionDays: number): Item => ({
  executionId: text(start.executionId),
  workflowId: text(start.workflowId),
  workflowVersion: number(start.workflowVersion),
  trigger: json(start.trigger),
  mode: text(start.mode),
  status: text(start.status),
  startedAt: text(toIso(start.startedAt)),
  startToken: text(start.startToken),
  expiresAt: number(toExpiry(start.startedAt, start.mode === 'inline' ? retentionDays : OPEN_DAYS)),
  // Whatever ends it goes by this, not by a setting of its own: the command line has none.
  retentionSeconds: number(retentionDays * SECONDS_PER_DAY),
  ...(start.input === null ? {} : { input: text(start.input) }),
  ...(start.callbackKey === null ? {} : { callbackKey: text(start.callbackKey) }),
  ...(start.retryOf === null ? {} : { retryOf: json(start.retryOf) }),
  ...(start.traceparent === null ? {} : { traceparent: text(start.traceparent) }),
  ...(start.retriedCheckpoints === null ? {} : { retriedCheckpoints: text(start.retriedCheckpoints) }),
  ...(start.keepsResult ? { keepsResult: flag(true) } : {}),
  ...(start.mode === 'inline'
    ? {}
    : {
        openShard: text(shardOf(start.executionId, 'active')),
        leaseExpiresAt: text(toIso(start.startedAt + BEGIN_WITHIN_MS)),
      }),
});

export const toRecord = (item: Item): ExecutionRecord => ({
  ...toSummary(item),
  trigger: readJson<ExecutionStart['trigger']>(item, 'trigger'),
  startToken: item.startToken?.S ?? '',
  input: item.input?.S ?? null,
  callbackKey: item.callbackKey?.S ?? null,
  retryOf: item.retryOf === undefined ? null : readJson<ExecutionStart['retryOf']>(item, 'retryOf'),
  traceparent: item.traceparent?.S ?? null,
  retriedCheckpoints: item.retriedCheckpoints?.S ?? null,
  keepsResult: item.keepsResult?.BOOL === true,
  nodes: item.nodes === undefined ? [] : readJson<NodeRecord[]>(item, 'nodes'),
  nodesOmitted: item.nodesOmitted === undefined ? 0 : readNumber(item, 'nodesOmitted'),
  failure: item.failure === undefined ? null : readJson<NodeFailure | null>(item, 'failure'),
  leaseOwner: item.leaseOwner?.S ?? null,
  invocations: item.invocations === undefined ? 0 : readNumber(item, 'invocations'),
  journalSize: item.journalSize === undefined ? 0 : readNumber(item, 'journalSize'),
  crashes: item.crashes === undefined ? 0 : readNumber(item, 'crashes'),
  redispatches: item.redispatches === undefined ? 0 : readNumber(item, 'redispatches'),
  result: item.result?.S ?? null,
  checkpoints: item.checkpoints?.S ?? null,
  isInOutbox: item.isInOutbox?.BOOL === true,
  leaseExpiresAt: item.leaseExpiresAt === undefined ? null : Date.parse(readText(item, 'leaseExpiresAt')),
});

/** What the index by workflow has of an execution. */
export const toSummary = (item: Item): ExecutionSummary => ({
  executionId: readText(item, 'executionId'),
  workflowId: readText(item, 'workflowId'),
  workflowVersion: readNumber(item, 'workflowVersion'),
  // Executions that were recorded before there were others ran inline.
  mode: (item.mode?.S ?? 'inline') as ExecutionSummary['mode'],
  status: readText(item, 'status') as ExecutionSummary['status'],
  startedAt: Date.parse(readText(item, 'startedAt')),
  endedAt: item.endedAt === undefined ? null : Date.parse(readText(item, 'endedAt')),
});
