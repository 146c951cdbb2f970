import pLimit from 'p-limit';
import type { Clock } from '../contract/services.ts';
import type { ObservedNode } from './count-runs.ts';

/** An execution as far as its runs are counted. */
export interface ObservedExecution {
  readonly nodes: readonly ObservedNode[];
  /** Entries that its record has left out. */
  readonly nodesOmitted: number;
}

/** Reads the executions of one workflow, the latest first. */
interface RunReader {
  /**
   * The next ones: at most `limit`, fewer when their records are gone.
   *
   * @throws AppError `STORE_UNAVAILABLE`
   */
  read(
    limit: number,
  ): Promise<{ readonly executions: readonly ObservedExecution[]; readonly hasMore: boolean }>;
}

/** @param from - milliseconds since the epoch, included */
export type OpenRuns = (workflowId: string, from: number) => RunReader;

export interface RunSample {
  readonly nodes: readonly ObservedNode[];
  readonly executions: number;
  /** Whether these are all executions, with all their nodes. */
  readonly isComplete: boolean;
}

interface SampleLimits {
  readonly maxExecutions: number;
  readonly maxWorkflows: number;
  readonly clock: Pick<Clock, 'now'>;
  /** No more is read from then on; milliseconds since the epoch. */
  readonly endsAt: number;
}

const CONCURRENCY = 8;

/** Records have up to 400 kB. */
const MAX_PAGE = 50;

/**
 * Reads the latest executions of all workflows up to the limits, of each workflow as many as of any other that has so
 * many: a busy one leaves room for the rest.
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
  const found: ObservedExecution[] = [];
  let open = chosen.map((id) => openRuns(id, from));
  let left = maxExecutions;
  while (open.length > 0 && left > 0 && clock.now() < endsAt) {
    const limit = Math.min(MAX_PAGE, Math.max(1, Math.floor(left / open.length)));
    const turn = open.slice(0, left);
    const pages = await Promise.all(turn.map((reader) => limitReads(() => reader.read(limit))));
    found.push(...pages.flatMap(({ executions }) => executions));
    left -= pages.reduce((sum, { executions }) => sum + executions.length, 0);
    open = [...open.slice(turn.length), ...turn.filter((_, index) => pages[index]?.hasMore)];
  }
  return {
    nodes: found.flatMap(({ nodes }) => nodes),
    executions: found.length,
    isComplete:
      open.length === 0 &&
      chosen.length === workflowIds.length &&
      found.every(({ nodesOmitted }) => nodesOmitted === 0),
  };
};

/** Of too many workflows, other ones for each report. */
const chooseByTurn = (ids: readonly string[], count: number, now: number): readonly string[] => {
  if (ids.length <= count) return ids;
  const turns = Math.ceil(ids.length / count);
  const start = (Math.floor(now / TURN_MS) % turns) * count;
  return [...ids.slice(start), ...ids.slice(0, start)].slice(0, count);
};

const TURN_MS = 5_000;
