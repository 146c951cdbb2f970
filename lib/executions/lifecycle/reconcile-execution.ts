// Invariants of the sweeper; tests cite them.
// B13: An execution that is leased is left alone, unless a dead letter says that its process has died.
// B14: A dispatch is noted after it is made, and only if the execution has not started: one that is refused stays due.

import { ENGINE_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { DurableStatus } from '../durable-service.ts';
import type { Ports, ReconcilePorts } from '../ports.ts';
import { beganAt, type ExecutionRecord, type FinalStatus, isFinal } from '../record/execution-store.ts';
import { finishEarly, PROCESS_LOST, publishEnd } from './finish-execution.ts';
import { ACCEPTED_LEASE_MS, computeLease, computeLimits } from './limits.ts';

/** The longest delay before a dispatch is repeated. */
const MAX_REDISPATCH_MS = 3_600_000;
const MAX_DISPATCH_AGE_MS = 24 * 3_600_000;
/**
 * How often an execution is dispatched again at least, even if it was unreachable until it was too old, such as one
 * stored by a later release.
 */
const MIN_REDISPATCHES = 3;
/** A start that Lambda gives up this soon has failed; it was not dropped for its age. */
const FAILED_WITHIN_MS = 8 * 60_000;

/** An invocation that failed for good, from the dead-letter queue. */
export interface DeadLetter {
  /** Request id in a message of Lambda; null if the message does not name it. */
  readonly requestId: string | null;
  /** Why it failed, as Lambda says; absent if it does not say. */
  readonly reason?: string;
}

/**
 * `redispatched`: it had not started. `givenUp`: it had not started for a day, and was ended. `reconciled`: its run
 * died or ran out of time, and it was ended. `republished`: its end was still in the outbox. `failed`: none of these
 * could be done.
 */
export type Finding = 'redispatched' | 'givenUp' | 'reconciled' | 'republished' | 'failed';

/** Receives what a sweep finds out. */
export interface Findings {
  count(finding: Finding): void;
  /**
   * Reports an execution that is due. @param forMs - how long ago it was accepted, or how long a waiting one has been
   * due
   */
  age(of: 'accepted' | 'waitingDue', forMs: number): void;
}

/**
 * Reconciles one execution whose lease has expired: dispatches it again if it has not started, publishes its end if
 * that is in the outbox, and ends it if its run has died.
 * @param deadLetter - null for an execution from a sweep. Only the invocation that holds the lease ends its execution;
 * a duplicate does not
 * @param findings - absent if findings are not counted
 * @throws AppError `STORE_UNAVAILABLE` | `DISPATCH_REFUSED` | `ENGINE_UNAVAILABLE`; the next sweep tries again
 */
export const reconcileExecution = async (
  executionId: string,
  ports: ReconcilePorts,
  deadLetter: DeadLetter | null = null,
  findings: Findings = { count: () => {}, age: () => {} },
): Promise<void> => {
  const record = await ports.executions.find(executionId);
  if (record === null) return;
  const { status, mode } = record;
  if (isFinal(status)) {
    if (record.isUnlisted === true) await ports.executions.listEnd(record);
    if (!record.isInOutbox || isLeased(record, ports)) return;
    await publishAgain(record, status, ports);
    return findings.count('republished');
  }
  const hasDied = deadLetter !== null;
  const isDead = hasDied && record.leaseOwner === leaseOwnerOf(deadLetter);
  if (!hasDied && isLeased(record, ports)) return sweepLater(record, ports);
  if (record.held !== null) return; // its queue releases it
  if (status === 'accepted') return dispatchAgain(record, hasDied, ports, findings);
  if (mode === 'durable') return checkDurable(record, hasDied, ports, findings);
  if (isLeased(record, ports) && !isDead) return; // the dead letter belongs to a duplicate
  const message = isDead ? await findReason(deadLetter) : 'its process ended without recording a result';
  await finishEarly(record, 'failed', { name: PROCESS_LOST, message }, ports);
  findings.count('reconciled');
};

const findReason = async ({ reason }: DeadLetter): Promise<string> => {
  if (reason === undefined) return 'its process failed, and so did the retries';
  const { describeDeath } = await import('./describe-death.chunk.ts');
  return describeDeath(reason);
};

const isLeased = ({ leaseExpiresAt }: ExecutionRecord, { clock }: Pick<Ports, 'clock'>): boolean =>
  leaseExpiresAt !== null && leaseExpiresAt > clock.now();

/**
 * Returns an execution to the index of sweeps, until its lease expires: its process renews the lease only in the
 * record, because each change to the index is billed.
 */
const sweepLater = (record: ExecutionRecord, ports: ReconcilePorts) =>
  ports.executions.extendLease(record, record.leaseExpiresAt ?? 0);

const publishAgain = (record: ExecutionRecord, status: FinalStatus, ports: ReconcilePorts): Promise<void> =>
  publishEnd({ ...record, status, endedAt: record.endedAt ?? ports.clock.now() }, ports);

/** The lease owner of an express run. */
const leaseOwnerOf = ({ requestId }: DeadLetter): string => `request:${requestId}`;

/**
 * Dispatches an execution that was accepted and has not started. One that is known not to be in Lambda's queue is
 * dispatched under its last name; any other may merely be late there, and its dispatch is counted.
 * @throws AppError `DISPATCH_REFUSED`; it stays due, and the attempt is not counted
 */
const dispatchAgain = async (
  record: ExecutionRecord,
  hasDied: boolean,
  ports: ReconcilePorts,
  findings: Findings,
): Promise<void> => {
  const { executions, clock, paces } = ports;
  const { executionId, mode, redispatches } = record;
  const ageMs = clock.now() - beganAt(record);
  findings.age('accepted', ageMs); // whatever comes of the dispatch
  const isOld = ageMs > MAX_DISPATCH_AGE_MS;
  if ((isOld && redispatches >= MIN_REDISPATCHES) || mode === 'inline') {
    const message = 'no process could start it within a day';
    await finishEarly(record, 'failed', { name: 'NeverStarted', message }, ports);
    return findings.count('givenUp');
  }
  const count = countDispatch(record, hasDied);
  const note = (redispatches: number, leaseExpiresAt: number): Promise<boolean> =>
    executions.redispatch(executionId, { redispatches, leaseExpiresAt });
  /** Keeps the execution due: nothing is written, unless Lambda has given it up in the meantime. */
  const keepDue = async (): Promise<void> => {
    if (hasDied) await note(count, beganAt(record));
  };
  if (hasDied && hasFailedAgain(record, clock.now())) {
    await note(count, clock.now() + redispatchDelay(count));
    return;
  }
  const mayBeQueued = !hasDied && !isUnsent(record);
  if (mayBeQueued && (await paces?.again.turn()) === false) return;
  if ((await paces?.[mode].turn()) === false) return keepDue();
  try {
    await ports.dispatcher.dispatch(executionId, mode, count);
  } catch (error) {
    paces?.[mode].refused();
    await keepDue();
    if (isOld && !hasDied) await note(redispatches + 1, record.leaseExpiresAt ?? beganAt(record));
    throw error;
  }
  paces?.[mode].accepted();
  if (mayBeQueued) paces?.again.accepted();
  // After the dispatch, so that a refused execution stays due, ahead of later ones. Two concurrent sweeps may both
  // dispatch it, under one name.
  await note(count, clock.now() + redispatchDelay(count));
  findings.count('redispatched');
};

/**
 * The first repeated dispatch has the name of the original one, so that Lambda recognises it if it is still in the
 * queue. A dead one gets a new name.
 */
const countDispatch = (record: ExecutionRecord, hasDied: boolean): number => {
  const { redispatches } = record;
  if (hasDied) return Math.max(redispatches + 1, 2);
  return isUnsent(record) ? redispatches : redispatches + 1;
};

/** Whether `dispatchOrMarkDue` or a dead letter set the lease. */
const isUnsent = (record: ExecutionRecord): boolean =>
  record.leaseExpiresAt !== null && record.leaseExpiresAt <= beganAt(record);

/** The delay before the next dispatch: a quarter of an hour, then half an hour, then an hour each time. */
const redispatchDelay = (redispatches: number): number =>
  Math.min(ACCEPTED_LEASE_MS * 2 ** Math.max(redispatches - 1, 0), MAX_REDISPATCH_MS);

/** Whether the start has failed before, and again soon after the dispatch, so the cause may persist. */
const hasFailedAgain = ({ redispatches, leaseExpiresAt }: ExecutionRecord, now: number): boolean =>
  redispatches > 1 &&
  leaseExpiresAt !== null &&
  now - (leaseExpiresAt - redispatchDelay(redispatches)) < FAILED_WITHIN_MS;

const checkDurable = async (
  record: ExecutionRecord,
  hasDied: boolean,
  ports: ReconcilePorts,
  findings: Findings,
): Promise<void> => {
  const { leaseOwner, status, leaseExpiresAt: dueAt } = record;
  const { durableService, paces } = ports;
  if (status === 'waiting' && dueAt !== null) findings.age('waitingDue', ports.clock.now() - dueAt);
  if (leaseOwner !== null && (await paces?.status.turn()) === false) return;
  const found = leaseOwner === null ? 'gone' : await durableService.findStatus(leaseOwner);
  if (found === 'throttled') {
    paces?.status.refused();
    if (hasDied) throw new AppError(ENGINE_UNAVAILABLE, {}); // its message stays
    return;
  }
  paces?.status.accepted();
  if (found !== 'running') {
    const [end, message] = END_OF_LOST_RUN[found];
    await finishEarly(record, end, { name: 'RunLost', message }, ports);
    return findings.count('reconciled');
  }
  const now = ports.clock.now();
  const deadline = await findDeadline(record, ports);
  if (now > deadline) {
    // The record first, so that the run can't change it while it is being stopped.
    await finishEarly(record, 'timedOut', { name: 'ExecutionTimeout', message: 'it timed out' }, ports);
    findings.count('reconciled');
    await durableService.stop(leaseOwner ?? '', 'it timed out');
    return;
  }
  // After the deadline: at the deadline itself it would be due again, but not timed out yet.
  const leaseExpiresAt = computeLease(status, 'durable', now, deadline + 1);
  await ports.executions.extendLease(record, leaseExpiresAt);
};

/** How an execution ends whose durable execution has ended without recording a result. */
const END_OF_LOST_RUN: Record<
  Exclude<DurableStatus, 'running'>,
  readonly [Exclude<FinalStatus, 'succeeded'>, string]
> = {
  succeeded: ['failed', 'its durable execution ended without recording a result'],
  failed: ['failed', 'its durable execution failed'],
  timedOut: ['timedOut', 'its durable execution ran out of time'],
  stopped: ['cancelled', 'its durable execution was stopped from outside'],
  gone: ['failed', 'its durable execution no longer exists'],
};

const findDeadline = async (record: ExecutionRecord, ports: ReconcilePorts) => {
  const { workflowId, workflowVersion, mode } = record;
  const workflow = await ports.workflows.findVersion(workflowId, workflowVersion);
  return beganAt(record) + computeLimits(workflow?.definition.settings, mode).timeoutMs;
};
