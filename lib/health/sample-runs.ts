import type { Clock } from '@hookloom/plugin-kit';
import pLimit from 'p-limit';
import type { NodeRecord } from '../engine/result.ts';

/** The part of an execution that is needed to count runs. */
export interface ObservedExecution {
  readonly nodes: readonly ObservedNode[];
  readonly nodesOmitted: number;
}

/** Reads the executions of workflows. All methods throw AppError `STORE_UNAVAILABLE`. */
export interface RunSource {
  /**
   * The ids of the latest executions of a workflow, at most `limit`.
   * @param from - the earliest start, in milliseconds since the epoch
   */
  find(
    workflow: SampledWorkflow,
    from: number,
    limit: number,
  ): Promise<{ readonly ids: readonly string[]; readonly hasMore: boolean }>;
  /** Executions by id, without those that no longer exist. */
  read(ids: readonly string[]): Promise<readonly ObservedExecution[]>;
}

/** A workflow, which may have been removed. */
export interface SampledWorkflow {
  readonly id: string;
  /** Whether its executions are in several partitions, of which one is enough of a sample. */
  readonly isHighVolume: boolean;
}

interface SampleLimits {
  readonly maxExecutions: number;
  readonly maxWorkflows: number;
  readonly clock: Pick<Clock, 'now'>;
  /** No reads start after this time; milliseconds since the epoch. */
  readonly endsAt: number;
}

const CONCURRENT_SEARCHES = 25;
/** Records have up to 400 kB, and an answer has at most 16 MB: so many are read at the same time. */
const CONCURRENT_READS = 3;
const BATCH_SIZE = 100;
/** How many ids a first search finds at least, so that second ones are rare. */
const MIN_FOUND = 25;

/**
 * Reads the latest executions of all workflows up to the limits, evenly distributed, so that a busy workflow does not
 * crowd out the others: one search for each workflow, a second one for few, and one read for each hundred executions.
 *
 * @returns the counts by node type; `isComplete` if all executions with all their nodes were counted
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const sampleRuns = async (
  workflows: readonly SampledWorkflow[],
  from: number,
  source: RunSource,
  { maxExecutions, maxWorkflows, clock, endsAt }: SampleLimits,
) => {
  const chosen = chooseByTurn(workflows, maxWorkflows, clock.now());
  const share = Math.min(maxExecutions, Math.max(MIN_FOUND, Math.ceil(maxExecutions / chosen.length)));
  const isInTime = () => clock.now() < endsAt;
  const inTurn = pLimit(CONCURRENT_SEARCHES);
  const search = async (workflow: SampledWorkflow, limit: number): Promise<Found> => ({
    workflow,
    ...(isInTime() ? await source.find(workflow, from, limit) : { ids: [], hasMore: true }),
  });
  let found = await inTurn.map(chosen, (workflow) => search(workflow, share));
  // Those that have more get what the others leave; they are few, since each has its share.
  if (found.reduce((sum, { ids }) => sum + ids.length, 0) < maxExecutions)
    found = await inTurn.map(found, async (one) =>
      one.hasMore && isInTime() ? search(one.workflow, maxExecutions) : one,
    );
  const all = takeInTurn(found.map(({ ids }) => ids));
  const ids = all.slice(0, maxExecutions);
  const batches = Array.from({ length: Math.ceil(ids.length / BATCH_SIZE) }, (_, at) =>
    ids.slice(at * BATCH_SIZE, (at + 1) * BATCH_SIZE),
  );
  let isWhole = chosen.length === workflows.length && ids.length === all.length;
  isWhole &&= found.every(({ hasMore }) => !hasMore);
  const read = await pLimit(CONCURRENT_READS).map(batches, async (batch) => {
    if (isInTime()) return source.read(batch);
    isWhole = false;
    return [];
  });
  const counts = new Map<string, RunCount>();
  const executions = read.flat();
  for (const { nodes, nodesOmitted } of executions) {
    countRuns(nodes, counts);
    isWhole &&= nodesOmitted === 0;
  }
  return { counts, executions: executions.length, isComplete: isWhole };
};

interface Found extends Awaited<ReturnType<RunSource['find']>> {
  readonly workflow: SampledWorkflow;
}

/** The first of each list, then the second of each, and so on. */
const takeInTurn = (lists: readonly (readonly string[])[]): readonly string[] => {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
};

/** Chooses workflows to read: if there are too many, each report chooses different ones. */
const chooseByTurn = <One>(ids: readonly One[], count: number, now: number): readonly One[] => {
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

type ObservedNode = Pick<NodeRecord, 'type' | 'status' | 'failure'>;

/** Failures of nodes that were still running when their execution ended for another reason. */
const ABORTED = new Set(['ExecutionFailed', 'Cancelled']);

/**
 * Counts runs by node type. A node has one run per iteration of its loop; retries belong to the same run.
 *
 * @param counts - the counts to add to
 */
const countRuns = (nodes: Iterable<ObservedNode>, counts: Map<string, RunCount>): void => {
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
