import type { Clock } from '../../contract/services.ts';
import { closeNodes } from '../../engine/close-nodes.ts';
import type { WorkflowStore } from '../../workflows/definition/workflow-store.ts';
import { type FinalStatus, isFinal } from '../record/execution-status.ts';
import type { ExecutionRecord, ExecutionStore } from '../record/execution-store.ts';
import { RUNNING_LEASE_MS, WAITING_LEASE_MS } from './background-run.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { DurableService, DurableStatus } from './durable-service.ts';
import { PROCESS_LOST } from './find-execution.ts';
import { type FinishParts, finishExecution, publishEnd } from './finish-execution.ts';
import { computeLimits } from './limits.ts';

export interface SweepParts extends FinishParts {
  readonly executions: ExecutionStore;
  readonly workflows: Pick<WorkflowStore, 'findVersion'>;
  readonly dispatcher: Dispatcher;
  readonly durableService: DurableService;
  readonly clock: Pick<Clock, 'now'>;
}

/** When a dispatch is repeated for the first time, for later ones at most, and after which time it never is. */
const FIRST_REDISPATCH_MS = 5 * 60_000;
const LAST_REDISPATCH_MS = 3_600_000;
const NEVER_STARTED_MS = 24 * 3_600_000;

/** An invocation that the engine has given up, as the dead-letter queue names it. */
export interface GivenUpInvocation {
  /** Null when the message does not say. */
  readonly requestId: string | null;
}

/**
 * Reconciles one execution whose `leaseExpiresAt` has come: dispatches again what no process has begun, publishes ends that
 * were not published, and finishes, with the reason, what died. What is alive is left alone.
 * @param givenUp set for what came out of the dead-letter queue: only the invocation that holds the lease ends its
 *   execution, a duplicate of it does not
 * @throws {AppError} STORE_UNAVAILABLE | DISPATCH_REFUSED | ENGINE_UNAVAILABLE: it is looked at again
 */
export const sweepExecution = async (
  executionId: string,
  parts: SweepParts,
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
  await settle(record, 'failed', { name: PROCESS_LOST, message }, parts);
};

const publishAgain = (record: ExecutionRecord, status: FinalStatus, parts: SweepParts): Promise<void> =>
  publishEnd({ ...record, status, endedAt: record.endedAt ?? parts.clock.now() }, parts);

/** As the function for express runs names itself. */
const ownerOf = ({ requestId }: GivenUpInvocation): string => `request:${requestId}`;

const dispatchAgain = async (record: ExecutionRecord, parts: SweepParts): Promise<void> => {
  const { executionId, startedAt, mode } = record;
  const now = parts.clock.now();
  if (now - startedAt > NEVER_STARTED_MS || mode === 'inline') {
    const message = 'no process could begin it within a day';
    return settle(record, 'failed', { name: 'NeverStarted', message }, parts);
  }
  const delayMs = Math.min(FIRST_REDISPATCH_MS * 2 ** record.redispatches, LAST_REDISPATCH_MS);
  const redispatches = await parts.executions.redispatch(executionId, now + delayMs);
  if (redispatches !== null) await parts.dispatcher.dispatch(executionId, mode, redispatches);
};

const checkDurable = async (record: ExecutionRecord, parts: SweepParts): Promise<void> => {
  const { executionId, leaseOwner, status } = record;
  const found: DurableStatus =
    leaseOwner === null ? 'gone' : await parts.durableService.findStatus(leaseOwner);
  if (found !== 'running') {
    const [end, message] = LOST[found];
    return settle(record, end, { name: 'RunLost', message }, parts);
  }
  const now = parts.clock.now();
  const endsAt = await findEnd(record, parts);
  if (now > endsAt) {
    // First the record: what the run still does can't change it any more.
    await settle(record, 'timedOut', { name: 'ExecutionTimeout', message: 'its time was up' }, parts);
    await parts.durableService.stop(leaseOwner ?? '', 'its time was up');
    return;
  }
  const leaseExpiresAt =
    status === 'waiting' ? Math.min(now + WAITING_LEASE_MS, endsAt + 1) : now + RUNNING_LEASE_MS.durable;
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
  parts: SweepParts,
) => {
  const workflow = await parts.workflows.findVersion(workflowId, workflowVersion);
  return startedAt + computeLimits(workflow?.definition.settings, mode).timeoutMs;
};

const settle = async (
  record: ExecutionRecord,
  status: Exclude<FinalStatus, 'succeeded'>,
  failure: { readonly name: string; readonly message: string },
  parts: SweepParts,
): Promise<void> => {
  const { nodes, nodesOmitted, trigger } = record;
  const endedAt = parts.clock.now();
  const openNode = nodes.findLast((node) => node.status === 'running' || node.status === 'waiting');
  const end = {
    status,
    endedAt,
    nodes: closeNodes(nodes, endedAt, failure),
    nodesOmitted,
    failure: { nodeId: openNode?.nodeId ?? trigger.nodeId, ...failure },
  };
  await finishExecution(record, end, parts);
};
