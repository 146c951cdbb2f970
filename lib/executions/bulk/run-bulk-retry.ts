import type { Clock } from '@hookloom/plugin-kit';
import { isAppError } from '../../shared/errors.ts';
import { countStart, measure } from '../../shared/metrics.ts';
import { workThrough } from '../../shared/work-through.ts';
import { dispatchOrMarkDue } from '../lifecycle/accept-execution.ts';
import { prepareRetry, toRetry } from '../lifecycle/retry-execution.ts';
import type { DispatchPorts, Ports, RetryPorts } from '../ports.ts';
import { type ExecutionRecord, isFinal } from '../record/execution-store.ts';
import {
  type BulkLease,
  type BulkRetry,
  type BulkRetryStore,
  decideStop,
  isOver,
  isTried,
  MARKS,
  type RefusedRetry,
} from './bulk-retry.ts';
import { ALREADY_RETRIED, refusalReasonOf } from './plan-bulk-retry.ts';

export type RunBulkPorts = RetryPorts & {
  readonly bulkRetries: BulkRetryStore;
  readonly clock: Clock;
  /** The id of the execution with which a bulk retry retries another one: always the same, so that it starts once. */
  readonly toRetryId: (bulkRetryId: string, executionId: string) => string;
};

interface RunOptions {
  /** Identifies this process; the same if Lambda invokes it again after a crash. */
  readonly owner: string;
  /** Whether there is time for another round. */
  readonly mayGoOn: () => boolean;
}

/** A round starts up to as many executions as the rate allows for it, and looks at those that are open. */
const ROUND_MS = 1_000;
/** Rounds become longer while nothing happens, and then end: the schedule continues. */
const MAX_ROUND_MS = 5_000;
const MAX_IDLE_MS = 20_000;
const LEASE_MS = 60_000;
const CONCURRENCY = 10;
/** Executions that run at once, beside those that wait: fewer until some have ended, so that a bad retry does little. */
const MAX_RUNNING = 200;
const MAX_RUNNING_AT_FIRST = 20;
/** How many open executions a round looks at. */
const MAX_LOOKS = 200;
const MAX_REFUSED = 50;
const MAX_REASON_LENGTH = 200;

/**
 * Runs a bulk retry until it has ended, or nothing happens for a while, or the time is up. Each execution is retried at
 * most once: a retry has an id of its own, its start is conditional, and the original names it. So a process that
 * crashed, or that runs at the same time, does no harm.
 * @returns whether it should be continued at once; false if it has ended, waits for its executions, or another process
 * runs it
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const runBulkRetry = async (
  bulkRetryId: string,
  { owner, mayGoOn }: RunOptions,
  ports: RunBulkPorts,
): Promise<boolean> => {
  const { bulkRetries, clock } = ports;
  const lease = (ms: number): BulkLease => ({ owner, expiresAt: clock.now() + ms });
  const acquired = await bulkRetries.acquireLease(bulkRetryId, lease(LEASE_MS), clock.now());
  if (acquired === null) return false;
  const executionIds = await bulkRetries.findExecutions(bulkRetryId);
  let bulk = acquired;
  let idleMs = 0;
  let roundMs = ROUND_MS;
  for (let round = 0; ; round++) {
    const beganAt = clock.now();
    const isIdle = idleMs > MAX_IDLE_MS;
    const next = await runRound(bulk, executionIds, round, ports);
    const hasChanged = next.marks !== bulk.marks;
    const endedAt = isOver(next.marks, next.stop) ? clock.now() : null;
    const goesOn = mayGoOn() && !isIdle;
    const saved = await bulkRetries.save(
      bulkRetryId,
      { ...next, endedAt },
      lease(goesOn && endedAt === null ? LEASE_MS : 0),
    );
    if (saved === null || endedAt !== null) return false;
    bulk = saved;
    if (!goesOn) return !isIdle;
    idleMs = hasChanged ? 0 : idleMs + roundMs;
    roundMs = hasChanged ? ROUND_MS : Math.min(roundMs * 2, MAX_ROUND_MS);
    await clock.sleep(Math.max(0, beganAt + roundMs - clock.now()));
  }
};

type Round = Pick<BulkRetry, 'marks' | 'refused' | 'stop'>;

/** Starts the next executions, looks at the open ones, and decides whether too many have failed again. */
const runRound = async (
  bulk: BulkRetry,
  executionIds: readonly string[],
  round: number,
  ports: RunBulkPorts,
): Promise<Round> => {
  const { bulkRetryId, request } = bulk;
  const marks = [...bulk.marks];
  const refused: RefusedRetry[] = [...bulk.refused];
  const refuse = (at: number, reason: string): void => {
    marks[at] = MARKS.refused;
    if (refused.length < MAX_REFUSED)
      refused.push({ executionId: executionIds[at] ?? '', reason: reason.slice(0, MAX_REASON_LENGTH) });
  };
  const retryIdOf = (at: number): string => ports.toRetryId(bulkRetryId, executionIds[at] ?? '');
  const options = { atOnce: CONCURRENCY, mayGoOn: () => true };

  let waiting = 0;
  const open = indexesOf(marks, MARKS.open);
  await workThrough(rotateIndexes(open, round * MAX_LOOKS).slice(0, MAX_LOOKS), options, async (at) => {
    const record = await ports.executions.find(retryIdOf(at));
    if (record === null) refuse(at, 'its retry no longer exists');
    else if (isFinal(record.status))
      marks[at] = record.status === 'succeeded' ? MARKS.succeeded : MARKS.failedAgain;
    else if (record.status === 'waiting') waiting += 1;
  });
  const stop = bulk.stop ?? decideStop(marks.join(''), request);
  if (stop !== null) return { marks: marks.join(''), refused, stop };

  const running = indexesOf(marks, MARKS.open).length - waiting;
  const limit = isTried(marks.join('')) ? MAX_RUNNING : MAX_RUNNING_AT_FIRST;
  const next = indexesOf(marks, MARKS.remaining).slice(
    0,
    Math.max(0, Math.min(request.rate, limit - running)),
  );
  await workThrough(next, options, async (at) => {
    const reason = await retryOnce(executionIds[at] ?? '', retryIdOf(at), bulk, ports);
    if (reason === null) marks[at] = MARKS.open;
    else refuse(at, reason);
  });
  return { marks: marks.join(''), refused, stop };
};

const indexesOf = (marks: readonly string[], mark: string): readonly number[] =>
  marks.flatMap((one, at) => (one === mark ? [at] : []));

/** So that each round looks at the next ones, and all get their turn. */
const rotateIndexes = (indexes: readonly number[], by: number): readonly number[] => {
  const from = indexes.length === 0 ? 0 : by % indexes.length;
  return [...indexes.slice(from), ...indexes.slice(0, from)];
};

/**
 * Retries an execution, wherever an earlier process was interrupted.
 * @returns why it can't be retried; null if it is
 */
const retryOnce = async (
  executionId: string,
  retryId: string,
  { bulkRetryId, request }: BulkRetry,
  ports: RunBulkPorts,
): Promise<string | null> => {
  const { executions, logger } = ports;
  const started = await executions.find(retryId);
  if (started !== null) return dispatchAccepted(started, ports);
  const record = await executions.find(executionId);
  if (record === null) return 'its record has expired';
  try {
    const prepared = await prepareRetry(record, request, ports);
    if (!(await claimOriginal(record, retryId, ports))) return ALREADY_RETRIED;
    const mode = await ports.modeOf(prepared.workflow);
    const start = toRetry(prepared, { executionId: retryId }, { ...ports, mode, bulkRetryId });
    if (await executions.start(start)) {
      const { workflowId, workflowVersion, hasMetrics } = start;
      const about = { bulkRetryId, retryOf: executionId, executionId: retryId, workflowId, workflowVersion };
      logger.info('The execution is retried.', { ...about, ...measure(countStart(hasMetrics)) });
    }
    const stored = await executions.find(retryId);
    return stored === null ? 'its retry no longer exists' : dispatchAccepted(stored, ports);
  } catch (error) {
    if (isAppError(error, 'NOT_RETRYABLE')) return refusalReasonOf(error);
    throw error;
  }
};

/** Makes this retry the one of its original, unless another one is, and exists. */
const claimOriginal = async (
  { executionId, retriedBy: known }: ExecutionRecord,
  retryId: string,
  { executions }: Pick<Ports, 'executions'>,
): Promise<boolean> => {
  const retriedBy = known ?? null;
  const isTaken = retriedBy !== null && retriedBy !== retryId && (await executions.find(retriedBy)) !== null;
  return !isTaken && executions.markRetried(executionId, retryId, retriedBy);
};

/** Dispatches a stored retry. If Lambda refuses it, the sweeper dispatches it. */
const dispatchAccepted = async (record: ExecutionRecord, ports: DispatchPorts): Promise<null> => {
  const { status, mode } = record;
  if (status !== 'accepted' || mode === 'inline') return null;
  try {
    await dispatchOrMarkDue(record, mode, ports);
  } catch (error) {
    if (!isAppError(error, 'DISPATCH_REFUSED')) throw error;
  }
  return null;
};
