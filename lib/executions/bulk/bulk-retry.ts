import { toIso } from '../record/describe-execution.ts';
import type { ExecutionStatus, FailureFilter, RetryOptions } from '../record/execution-store.ts';

/** How many executions one bulk retry can have: as many as a request can check in time. */
export const MAX_EXECUTIONS = 5_000;

/** Which executions a bulk retry is for. */
export interface BulkFilter extends FailureFilter {
  /** Null for the executions of all workflows. */
  readonly workflowId: string | null;
  readonly statuses: readonly ExecutionStatus[];
  /** The period of their starts, in milliseconds since the epoch, both inclusive; a null start for no limit. */
  readonly from: number | null;
  readonly to: number;
  /** The version of the workflow that they ran; null for any. */
  readonly workflowVersion: number | null;
}

export interface BulkRetryRequest extends RetryOptions {
  readonly filter: BulkFilter;
  /** Executions to start per second. */
  readonly rate: number;
  /** The bulk retry stops once a greater share than this of its ended retries has failed again. */
  readonly stopAtFailedShare: number;
}

export interface RefusedRetry {
  readonly executionId: string;
  readonly reason: string;
}

/** Why a bulk retry starts no more. */
export interface BulkStop {
  readonly state: 'stopped' | 'cancelled';
  readonly reason: string;
}

/**
 * What became of one execution: not retried yet, retried and still open, succeeded, failed again, or refused. As one
 * character each, since all are written again with every progress.
 */
export const MARKS = { remaining: '.', open: 'o', succeeded: '+', failedAgain: '-', refused: 'x' } as const;
type Outcome = keyof typeof MARKS;

/** The part of a bulk retry that changes while it runs. */
interface BulkProgress {
  /** One of {@link MARKS} for each execution, in order. */
  readonly marks: string;
  /** The first of those that were refused. */
  readonly refused: readonly RefusedRetry[];
  readonly stop: BulkStop | null;
  /** When its last retry has ended, in milliseconds since the epoch; null until then. */
  readonly endedAt: number | null;
}

export interface BulkRetry extends BulkProgress {
  /** Sorts by time: `20261125T043600123-…`. */
  readonly bulkRetryId: string;
  readonly request: BulkRetryRequest;
  /** ARN of the caller that started it; null without IAM. */
  readonly by: string | null;
  /** In milliseconds since the epoch. */
  readonly createdAt: number;
}

/** All methods throw AppError `STORE_UNAVAILABLE` if the store can't be reached. */
export interface BulkRetryStore {
  /** Stores a bulk retry with the executions that it retries, in this order. */
  create(bulk: BulkRetry, executionIds: readonly string[]): Promise<void>;
  find(bulkRetryId: string): Promise<BulkRetry | null>;
  findExecutions(bulkRetryId: string): Promise<readonly string[]>;
  /**
   * Lists them, latest first. A page may have fewer than the limit, although more follow.
   * @param after - `next` of the previous page; null for the first page
   * @returns `next` is null on the last page
   */
  list(
    limit: number,
    after: string | null,
  ): Promise<{ readonly bulkRetries: readonly BulkRetry[]; readonly next: string | null }>;
  /** Finds those that have not ended. */
  findActive(): Promise<readonly string[]>;
  /**
   * Makes a process the only one that runs a bulk retry.
   * @returns null if it has ended, is unknown, or is leased by another process
   */
  acquireLease(bulkRetryId: string, lease: BulkLease, now: number): Promise<BulkRetry | null>;
  /**
   * Stores progress, and renews the lease. A stop that is already stored stays.
   * @returns what is stored now; null, with nothing changed, if another process has the lease
   */
  save(bulkRetryId: string, progress: BulkProgress, lease: BulkLease): Promise<BulkRetry | null>;
  /** @returns what is stored now; null, with nothing changed, if it has ended or has been stopped, or is unknown */
  stop(bulkRetryId: string, stop: BulkStop): Promise<BulkRetry | null>;
}

export interface BulkLease {
  readonly owner: string;
  /** When another process may continue, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Counts the executions of a bulk retry by what became of them. */
const countOutcomes = (marks: string): Readonly<Record<Outcome, number>> => {
  const counts = { remaining: 0, open: 0, succeeded: 0, failedAgain: 0, refused: 0 };
  for (const [outcome, mark] of Object.entries(MARKS) as [Outcome, string][])
    counts[outcome] = marks.split(mark).length - 1;
  return counts;
};

/** With fewer, a share says little. */
const MIN_ENDED = 10;

/** Whether so many retries have ended that their outcome says something. */
export const isTried = (marks: string): boolean => {
  const { succeeded, failedAgain } = countOutcomes(marks);
  return succeeded + failedAgain >= MIN_ENDED;
};

/** Decides whether too many retries have failed again. @returns null if not */
export const decideStop = (marks: string, { stopAtFailedShare }: BulkRetryRequest): BulkStop | null => {
  const { succeeded, failedAgain } = countOutcomes(marks);
  const ended = succeeded + failedAgain;
  if (!isTried(marks) || failedAgain / ended <= stopAtFailedShare) return null;
  return {
    state: 'stopped',
    reason: `${failedAgain} of the first ${ended} retries have failed again: more than the share of ${stopAtFailedShare}`,
  };
};

/** Whether nothing is left to do: nothing to start, and nothing to wait for. */
export const isOver = (marks: string, stop: BulkStop | null): boolean =>
  !marks.includes(MARKS.open) && (stop !== null || !marks.includes(MARKS.remaining));

/** A bulk retry as operators see it, with times in ISO 8601. */
export const describeBulkRetry = ({
  bulkRetryId,
  request,
  by,
  createdAt,
  endedAt,
  marks,
  refused,
  stop,
}: BulkRetry) => {
  const counts = countOutcomes(marks);
  const { filter, from, only = null, version, rate, stopAtFailedShare } = request;
  const { workflowId, statuses, failureNode, failureName, workflowVersion } = filter;
  return {
    bulkRetryId,
    state: stop?.state ?? (endedAt === null ? ('running' as const) : ('done' as const)),
    why: stop?.reason ?? null,
    createdAt: toIso(createdAt),
    endedAt: endedAt === null ? null : toIso(endedAt),
    by,
    filter: {
      workflowId,
      status: statuses,
      failureNode,
      failureName,
      workflowVersion,
      from: filter.from === null ? null : toIso(filter.from),
      to: toIso(filter.to),
    },
    from,
    only,
    version,
    rate,
    stopAtFailedShare,
    counts: { total: marks.length, ...counts },
    refused,
    refusedOmitted: counts.refused - refused.length,
  };
};

export const BULK_RETRY_ID = /^[0-9]{8}T[0-9]{9}-[A-Za-z0-9]{8}$/;
