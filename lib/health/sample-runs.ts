import type { Clock } from '@hookloom/plugin-kit';
import pLimit from 'p-limit';
import type { NodeRecord } from '../engine/result.ts';

/** The part of an execution that is needed to count runs. */
export interface ObservedExecution {
  readonly nodes: readonly ObservedNode[];
  /** Number of node runs that the execution's record omits. */
  readonly nodesOmitted: number;
}

/** Reads the executions of one workflow, the latest first. */
interface RunReader {
  /**
   * The next executions: at most `limit`, fewer if records no longer exist.
   *
   * @throws AppError `STORE_UNAVAILABLE`
   */
  read(
    limit: number,
  ): Promise<{ readonly executions: readonly ObservedExecution[]; readonly hasMore: boolean }>;
}

/** @param from - milliseconds since the epoch, inclusive */
export type OpenRuns = (workflowId: string, from: number) => RunReader;

export interface RunSample {
  /** The counts by node type. */
  readonly counts: ReadonlyMap<string, RunCount>;
  readonly executions: number;
  /** Whether all executions with all their nodes were counted. */
  readonly isComplete: boolean;
}

interface SampleLimits {
  readonly maxExecutions: number;
  readonly maxWorkflows: number;
  readonly clock: Pick<Clock, 'now'>;
  /** No reads start after this time; milliseconds since the epoch. */
  readonly endsAt: number;
}

// Records have up to 400 kB: at most 60 MB are read at the same time.
const CONCURRENCY = 6;
const MAX_PAGE = 25;

/**
 * Reads the latest executions of all workflows up to the limits, evenly distributed, so that a busy workflow does not
 * crowd out the others.
 *
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const sampleRuns = async (
  workflowIds: readonly string[],
  from: number,
  openRuns: OpenRuns,
  { maxExecutions, maxWorkflows, clock, endsAt }: SampleLimits,
): Promise<RunSample> => {
  const chosen = chooseByTurn(workflowIds, maxWorkflows, clock.now());
  const limitReads = pLimit(CONCURRENCY);
  const counts = new Map<string, RunCount>();
  let executions = 0;
  let isWhole = true;
  let open = chosen.map((id) => openRuns(id, from));
  while (open.length > 0 && executions < maxExecutions && clock.now() < endsAt) {
    const left = maxExecutions - executions;
    const limit = Math.min(MAX_PAGE, Math.max(1, Math.floor(left / open.length)));
    const turn = open.slice(0, left);
    const pages = await Promise.all(turn.map((reader) => limitReads(() => reader.read(limit))));
    for (const { nodes, nodesOmitted } of pages.flatMap((page) => page.executions)) {
      executions += 1;
      countRuns(nodes, counts);
      isWhole &&= nodesOmitted === 0;
    }
    open = [...open.slice(turn.length), ...turn.filter((_, index) => pages[index]?.hasMore)];
  }
  return {
    counts,
    executions,
    isComplete: open.length === 0 && chosen.length === workflowIds.length && isWhole,
  };
};

/** Chooses workflows to read: if there are too many, each report chooses different ones. */
const chooseByTurn = (ids: readonly string[], count: number, now: number): readonly string[] => {
  if (ids.length <= count) return ids;
  const turns = Math.ceil(ids.length / count);
  const start = (Math.floor(now / TURN_MS) % turns) * count;
  return [...ids.slice(start), ...ids.slice(0, start)].slice(0, count);
};

const TURN_MS = 5_000;

/** The finished runs of a node type. */
export interface RunCount {
  readonly runs: number;
  readonly failed: number;
}

/** The fields read from a node's record. */
export type ObservedNode = Pick<NodeRecord, 'type' | 'status' | 'failure'>;

/** Failures of nodes that were still running when their execution ended for another reason. */
const ABORTED = new Set(['ExecutionFailed', 'Cancelled']);

/**
 * Counts runs by node type. A node has one run per iteration of its loop; retries belong to the same run.
 *
 * @param counts - the counts to add to
 */
export const countRuns = (nodes: Iterable<ObservedNode>, counts: Map<string, RunCount>): void => {
  for (const { type, status, failure } of nodes) {
    const hasFailed = status === 'failed';
    if (!hasFailed && status !== 'succeeded') continue;
    if (hasFailed && failure !== undefined && ABORTED.has(failure.name)) continue;
    const { runs, failed } = counts.get(type) ?? { runs: 0, failed: 0 };
    counts.set(type, { runs: runs + 1, failed: failed + (hasFailed ? 1 : 0) });
  }
};

/** The share of failed runs, from 0 to 1, with four decimals. */
export const shareOf = ({ runs, failed }: RunCount): number =>
  runs === 0 ? 0 : Math.round((failed / runs) * 10_000) / 10_000;

/** Share of failed runs that makes a node type a warning … */
const WARNING_SHARE = 0.1;
/** … if there are at least this many failures: one failure of a rare workflow is not a pattern yet. */
const WARNING_FAILURES = 3;

export const isTooMany = (count: RunCount): boolean =>
  count.failed >= WARNING_FAILURES && count.failed / count.runs >= WARNING_SHARE;
