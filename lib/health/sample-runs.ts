import type { Clock } from '@hookloom/plugin-kit';
import pLimit from 'p-limit';
import { countRuns, type ObservedNode, type RunCount } from './count-runs.ts';

/** The part of an execution that is needed to count runs. */
export interface ObservedExecution {
  readonly nodes: readonly ObservedNode[];
  /** Entries that its record omits. */
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

/** With too many workflows, each report chooses different ones. */
const chooseByTurn = (ids: readonly string[], count: number, now: number): readonly string[] => {
  if (ids.length <= count) return ids;
  const turns = Math.ceil(ids.length / count);
  const start = (Math.floor(now / TURN_MS) % turns) * count;
  return [...ids.slice(start), ...ids.slice(0, start)].slice(0, count);
};

const TURN_MS = 5_000;
