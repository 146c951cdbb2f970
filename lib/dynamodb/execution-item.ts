import { createHash } from 'node:crypto';
import type { NodeFailure, NodeRecord } from '../executions/execution.ts';
import type {
  CallbackPlace,
  ExecutionRecord,
  ExecutionStart,
  ExecutionSummary,
} from '../executions/execution-store.ts';
import { flag, type Item, json, number, readJson, readNumber, readText, text } from './attributes.ts';

const SECONDS_PER_DAY = 86_400;

/** When an accepted execution should have begun. */
const BEGIN_WITHIN_MS = 2 * 60_000;

/** One attribute per place, so that places are opened side by side. */
export const CALLBACK_PREFIX = 'callback:';

/** Open executions are spread over as many keys of the index by time, so that none of them gets hot. */
export const SHARDS = ['0', '1', '2', '3'] as const;

export const shardOf = (executionId: string): string =>
  SHARDS[(createHash('sha256').update(executionId).digest()[0] ?? 0) % SHARDS.length] ?? '0';

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
  expiresAt: number(toExpiry(start.startedAt, retentionDays)),
  ...(start.input === null ? {} : { input: text(start.input) }),
  ...(start.callbackKey === null ? {} : { callbackKey: text(start.callbackKey) }),
  ...(start.retryOf === null ? {} : { retryOf: json(start.retryOf) }),
  ...(start.seed === null ? {} : { seed: text(start.seed) }),
  ...(start.keepsResult ? { keepsResult: flag(true) } : {}),
  ...(start.mode === 'inline'
    ? {}
    : {
        openShard: text(shardOf(start.executionId)),
        checkAt: text(toIso(start.startedAt + BEGIN_WITHIN_MS)),
      }),
});

export const toRecord = (item: Item): ExecutionRecord => ({
  ...toSummary(item),
  trigger: readJson<ExecutionStart['trigger']>(item, 'trigger'),
  startToken: item.startToken?.S ?? '',
  input: item.input?.S ?? null,
  callbackKey: item.callbackKey?.S ?? null,
  retryOf: item.retryOf === undefined ? null : readJson<ExecutionStart['retryOf']>(item, 'retryOf'),
  seed: item.seed?.S ?? null,
  keepsResult: item.keepsResult?.BOOL === true,
  nodes: item.nodes === undefined ? [] : readJson<NodeRecord[]>(item, 'nodes'),
  nodesOmitted: item.nodesOmitted === undefined ? 0 : readNumber(item, 'nodesOmitted'),
  failure: item.failure === undefined ? null : readJson<NodeFailure | null>(item, 'failure'),
  owner: item.owner?.S ?? null,
  invocations: item.invocations === undefined ? 0 : readNumber(item, 'invocations'),
  suspensions: item.suspensions === undefined ? 0 : readNumber(item, 'suspensions'),
  result: item.result?.S ?? null,
  memory: item.memory?.S ?? null,
  callbacks: Object.fromEntries(
    Object.keys(item)
      .filter((name) => name.startsWith(CALLBACK_PREFIX))
      .map((name) => [name.slice(CALLBACK_PREFIX.length), readJson<CallbackPlace>(item, name)]),
  ),
  isToBeAnnounced: item.isToBeAnnounced?.BOOL === true,
  checkAt: item.checkAt === undefined ? null : Date.parse(readText(item, 'checkAt')),
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
