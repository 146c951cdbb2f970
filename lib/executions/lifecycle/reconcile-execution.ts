import type { Clock } from '../../contract/services.ts';
import type { WorkflowStore } from '../../workflows/definition/workflow-store.ts';
import { type FinalStatus, isFinal } from '../record/execution-status.ts';
import type { ExecutionRecord, ExecutionStore } from '../record/execution-store.ts';
import type { Dispatcher } from './dispatch-execution.ts';
import type { DurableService, DurableStatus } from './durable-service.ts';
import { PROCESS_LOST } from './find-execution.ts';
import { type FinishParts, finishEarly, publishEnd } from './finish-execution.ts';
import { computeLease, computeLimits } from './limits.ts';

export interface ReconcileParts extends FinishParts {
  readonly executions: ExecutionStore;
  readonly workflows: Pick<WorkflowStore, 'findVersion'>;
  readonly dispatcher: Dispatcher;
  readonly durableService: DurableService;
  readonly clock: Pick<Clock, 'now'>;
}

/** Delay before a dispatch is repeated: the first, the longest, and the age after which it never is. */
const FIRST_REDISPATCH_MS = 5 * 60_000;
const LAST_REDISPATCH_MS = 3_600_000;
const NEVER_STARTED_MS = 24 * 3_600_000;

/** An invocation that the engine has given up, as the dead-letter queue names it. */
export interface GivenUpInvocation {
  /** Null when the message does not say. */
  readonly requestId: string | null;
}

/**
 * Reconciles one execution whose lease has expired: dispatches again what no process has begun, publishes ends that are
 * in the outbox, and finishes, with the reason, what died. What is alive is left alone.
 *
 * @param givenUp - for what came out of the dead-letter queue: only the invocation that holds the lease ends its
 *   execution, a duplicate of it does not
 * @throws AppError `STORE_UNAVAILABLE` | `DISPATCH_REFUSED` | `ENGINE_UNAVAILABLE`: the next sweep tries again
 */
export const reconcileExecution = async (
  executionId: string,
  parts: ReconcileParts,
  givenUp: GivenUpInvocation | null = null,
): Promise<void> => {
  const record = await parts.executions.find(executionId);
  if (record === null) return;
  const { status, mode } = record;
  if (isFinal(status)) {
    if (record.isInOutbox) await publishAgain(record, status, parts);
    return;
  }
  // What has done nothing yet can be begun at any time.
  if (status === 'accepted') return dispatchAgain(record, parts);
  if (mode === 'durable') return checkDurable(record, parts);
  const isGivenUp = givenUp !== null && record.leaseOwner === ownerOf(givenUp);
  // Begun, or begun again, since it was found to be due; or a duplicate was given up.
  const isAlive = record.leaseExpiresAt !== null && record.leaseExpiresAt > parts.clock.now();
  if (isAlive && !isGivenUp) return;
  const message = isGivenUp
    ? 'its process failed, and so did those that tried again'
    : 'its process ended without saying how';
  await finishEarly(record, 'failed', { name: PROCESS_LOST, message }, parts);
};

const publishAgain = (record: ExecutionRecord, status: FinalStatus, parts: ReconcileParts): Promise<void> =>
  publishEnd({ ...record, status, endedAt: record.endedAt ?? parts.clock.now() }, parts);

/** As the function for express runs names itself. */
const ownerOf = ({ requestId }: GivenUpInvocation): string => `request:${requestId}`;

const dispatchAgain = async (record: ExecutionRecord, parts: ReconcileParts): Promise<void> => {
  const { executionId, startedAt, mode } = record;
  const now = parts.clock.now();
  if (now - startedAt > NEVER_STARTED_MS || mode === 'inline') {
    const message = 'no process could begin it within a day';
    await finishEarly(record, 'failed', { name: 'NeverStarted', message }, parts);
    return;
  }
  const delayMs = Math.min(FIRST_REDISPATCH_MS * 2 ** record.redispatches, LAST_REDISPATCH_MS);
  const redispatches = await parts.executions.redispatch(executionId, now + delayMs);
  if (redispatches !== null) await parts.dispatcher.dispatch(executionId, mode, redispatches);
};

const checkDurable = async (record: ExecutionRecord, parts: ReconcileParts): Promise<void> => {
  const { executionId, leaseOwner, status } = record;
  const found: DurableStatus =
    leaseOwner === null ? 'gone' : await parts.durableService.findStatus(leaseOwner);
  if (found !== 'running') {
    const [end, message] = LOST[found];
    await finishEarly(record, end, { name: 'RunLost', message }, parts);
    return;
  }
  const now = parts.clock.now();
  const endsAt = await findEnd(record, parts);
  if (now > endsAt) {
    // First the record: what the run still does can't change it any more.
    await finishEarly(record, 'timedOut', { name: 'ExecutionTimeout', message: 'its time was up' }, parts);
    await parts.durableService.stop(leaseOwner ?? '', 'its time was up');
    return;
  }
  // Past its end: at its end it would be due again and not be late yet.
  const leaseExpiresAt = computeLease(status, 'durable', now, endsAt + 1);
  await parts.executions.extendLease(executionId, leaseExpiresAt);
};

/** How an execution ends whose durable execution has ended without it. */
const LOST: Record<
  Exclude<DurableStatus, 'running'>,
  readonly [Exclude<FinalStatus, 'succeeded'>, string]
> = {
  succeeded: ['failed', 'its durable execution ended without recording how'],
  failed: ['failed', 'its durable execution failed'],
  timedOut: ['timedOut', 'its durable execution ran out of time'],
  stopped: ['cancelled', 'its durable execution was stopped from outside'],
  gone: ['failed', 'its durable execution is gone'],
};

const findEnd = async (
  { workflowId, workflowVersion, startedAt, mode }: ExecutionRecord,
  parts: ReconcileParts,
) => {
  const workflow = await parts.workflows.findVersion(workflowId, workflowVersion);
  return startedAt + computeLimits(workflow?.definition.settings, mode).timeoutMs;
};
