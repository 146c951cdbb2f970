import type { NodeRecord } from '../engine/result.ts';

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
