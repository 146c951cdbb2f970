import type { JsonObject } from '@hookloom/plugin-kit';
import { nodeKeyOf } from '../../engine/node-run.ts';
import {
  type AttemptTime,
  type ExecutionResult,
  isOpen,
  type NodeRecord,
  type WaitTime,
} from '../../engine/result.ts';
import { type BlobStore, packText, toBlobKey } from './blob-store.ts';
import type { ExecutionStart } from './execution-store.ts';
import { redactCredentials } from './redact-credentials.ts';

/** The largest size of a packed attribute, in bytes: every write is billed by the size of the whole record. */
export const PACKED_BYTES = 12_000;

/**
 * Packs the input of the trigger.
 *
 * @param isBrief - see `isBriefRun`; true at the end of a run
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const packInput = (
  executionId: string,
  input: JsonObject,
  blobs: Pick<BlobStore, 'put'>,
  isBrief: boolean,
): Promise<string> =>
  packText(JSON.stringify(input), {
    limitBytes: PACKED_BYTES,
    key: toBlobKey(executionId, 'input', isBrief),
    blobs,
  });

/** Packs the reason why an input can't be run, in place of the input. */
export const packRefusal = (reason: string): string => `x${reason}`;

/** @returns why the input can't be run; null if it can */
export const readRefusal = (input: string): string | null => (input.startsWith('x') ? input.slice(1) : null);

/**
 * Packs the result of an execution for repeated deliveries, without the credentials of its request. Always brief, even
 * for a long run, since a delivery is not remembered longer than that.
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const packResult = async (
  { executionId, keepsResult }: Pick<ExecutionStart, 'executionId' | 'keepsResult'>,
  { output, response }: Pick<ExecutionResult, 'output' | 'response'>,
  input: JsonObject,
  blobs: Pick<BlobStore, 'put'>,
): Promise<{ readonly result?: string }> => {
  if (!keepsResult) return {};
  const key = toBlobKey(executionId, 'result', true);
  const text = redactCredentials(JSON.stringify({ output, response }), input);
  return { result: await packText(text, { limitBytes: PACKED_BYTES, key, blobs }) };
};

/** The engine's node records for storage, without their data. */
export const dropData = (nodes: readonly NodeRecord[]): readonly NodeRecord[] =>
  nodes.map((node) => {
    // Not taken out with a rest pattern, which takes seven times as long.
    const record = { ...node, input: undefined, outputs: undefined };
    if (node.failure === undefined) return record;
    const { details: _details, ...failure } = node.failure;
    return { ...record, failure };
  });

/** Keeps recorded times, since a replay recomputes the records of earlier nodes with its own times. */
export const keepTimes = (
  recorded: readonly NodeRecord[],
  computed: readonly NodeRecord[],
): readonly NodeRecord[] => {
  if (recorded.length === 0) return computed;
  const before = new Map(recorded.map((record) => [nodeKeyOf(record), record]));
  return computed.map((record) => {
    const known = before.get(nodeKeyOf(record));
    if (known === undefined) return record;
    const { startedAt } = known;
    const attempted = {
      ...mergeAttempts(known.attemptTimes, record.attemptTimes),
      ...mergeWaits(known.waits, record.waits),
    };
    if (!isOpen(known)) return { ...record, ...attempted, startedAt, durationMs: known.durationMs };
    const durationMs = isOpen(record) ? 0 : Math.max(0, record.startedAt + record.durationMs - startedAt);
    const timed = { ...record, ...attempted, startedAt, durationMs };
    // A node that waits for its next attempt, or has timed out, may not have started an attempt in this process.
    if (record.attempts > 0) return { ...timed, attempts: Math.max(known.attempts, record.attempts) };
    const { attempts, retry } = known;
    return { ...timed, attempts, ...(retry === undefined || !isOpen(record) ? {} : { retry }) };
  });
};

/** The times of attempts, of which each process knows its own. */
const mergeAttempts = (
  recorded: readonly AttemptTime[] = [],
  computed: readonly AttemptTime[] = [],
): Pick<NodeRecord, 'attemptTimes'> => {
  const byNumber = new Map([...recorded, ...computed].map((time) => [time.number, time]));
  return byNumber.size === 0
    ? {}
    : { attemptTimes: [...byNumber.values()].sort((a, b) => a.number - b.number) };
};

/** The times of waits: a replay passes those that have ended again, at its own time. */
const mergeWaits = (
  recorded: readonly WaitTime[] = [],
  computed: readonly WaitTime[] = [],
): Pick<NodeRecord, 'waits'> => {
  const later = computed.slice(recorded.length);
  const waits = recorded.map((known, at) => ({
    ...known,
    endedAt: known.endedAt ?? computed[at]?.endedAt ?? null,
  }));
  return recorded.length + later.length === 0 ? {} : { waits: [...waits, ...later] };
};

/** @returns the latest recorded time, milliseconds since the epoch */
export const latestTimeOf = (records: readonly NodeRecord[], start: number): number =>
  records.reduce((latest, { startedAt, durationMs }) => Math.max(latest, startedAt + durationMs), start);
