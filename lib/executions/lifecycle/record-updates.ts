import type { Clock } from '@hookloom/plugin-kit';
import { type CheckpointJournal, serializeJournal } from '../../engine/checkpoint-journal.ts';
import { type ExecutionResult, hasFailedItems, type NodeRecord } from '../../engine/result.ts';
import { type BlobStore, isKeptLong, packText, toBlobKey } from '../record/blob-store.ts';
import { beganAt, type ExecutionProgress, type ExecutionRecord } from '../record/execution-store.ts';
import { dropData, keepTimes, PACKED_BYTES, packInput, packResult } from '../record/pack-result.ts';
import type { NewEnd } from './finish-execution.ts';
import { computeLease, computeLimits, keepsData } from './limits.ts';
import type { LoadedRun } from './load-background-run.ts';

/** Computes what is written to the record of a background run. */
export const createRecordUpdates = (
  record: ExecutionRecord,
  {
    workflow,
    input,
    variables,
    journal,
    stored,
  }: Pick<LoadedRun, 'workflow' | 'input' | 'variables' | 'journal' | 'stored'>,
  blobs: Pick<BlobStore, 'put'>,
  clock: Pick<Clock, 'now'>,
) => {
  const { settings } = workflow.definition;
  const { executionId, mode } = record;
  const beganNow = clock.now();
  const countActive = () => ({ activeMs: (record.activeMs ?? 0) + Math.max(0, clock.now() - beganNow) });
  const view = async (nodes: readonly NodeRecord[], hasFailed: boolean): Promise<readonly NodeRecord[]> => {
    const timed = keepTimes(record.nodes, nodes);
    if (!keepsData(settings, mode, hasFailed)) return dropData(timed);
    return (await import('../record/view-run.chunk.ts')).viewRun(timed, workflow.definition, variables);
  };
  const isKept = (isRetried: boolean): boolean =>
    isRetried ||
    serializeJournal(journal).length < (settings?.recordData === 'always' ? PACKED_BYTES : SMALL_JOURNAL);
  return {
    toProgress: async (
      nodes: readonly NodeRecord[],
      status: ExecutionProgress['status'],
    ): Promise<ExecutionProgress> => ({
      status,
      nodes: await view(nodes, false),
      ...(status === 'waiting'
        ? { checkpoints: await packJournal(record, journal, blobs, false), ...countActive() }
        : {}),
      leaseExpiresAt: computeLease(
        status,
        mode,
        clock.now(),
        beganAt(record) + computeLimits(settings, mode).timeoutMs,
      ),
    }),
    toEnd: async (result: ExecutionResult): Promise<NewEnd> => {
      const { status, nodes, failure } = result;
      const hasFailed = status !== 'succeeded';
      const isRetried = hasFailed || nodes.some(hasFailedItems);
      return {
        status,
        endedAt: clock.now(),
        nodes: await view(nodes, hasFailed),
        failure,
        ...(record.activeMs === undefined ? {} : countActive()),
        ...(await packResult(record, result, input, blobs)),
        ...(isRetried || mode === 'durable'
          ? { checkpoints: isKept(isRetried) ? await packJournal(record, journal, blobs, true) : null }
          : {}),
        ...(isKeptLong(stored.input) ? { input: await packInput(executionId, input, blobs, true) } : {}),
      };
    },
    /** The nodes of a failed run, as they appear in its record. */
    toFailed: (nodes: readonly NodeRecord[]) => view(nodes, true),
  };
};

export type RecordUpdates = ReturnType<typeof createRecordUpdates>;

/**
 * The journal of a successful run is kept if it is at most this long, in characters: as much as fits beside a request
 * in one write unit, because such a run is seldom retried. A workflow that records all data keeps longer ones.
 */
const SMALL_JOURNAL = 300;

/**
 * @param isBrief - whether the run has ended
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const packJournal = (
  { executionId }: Pick<ExecutionRecord, 'executionId'>,
  journal: CheckpointJournal,
  blobs: Pick<BlobStore, 'put'>,
  isBrief: boolean,
): Promise<string> =>
  packText(serializeJournal(journal), {
    limitBytes: PACKED_BYTES,
    key: toBlobKey(executionId, 'checkpoints', isBrief),
    blobs,
  });
