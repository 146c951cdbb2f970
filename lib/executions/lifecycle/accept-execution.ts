// Invariants of accepting an execution; tests cite them.
// B1: An execution is stored before it is dispatched, so that the sweeper finds what a crash left in between.
// B2: Deliveries of one claim start one execution, wherever an earlier one was interrupted.
// B3: An execution is withdrawn only if it has not started.

import type { Ids } from '@hookloom/plugin-kit';
import { STORE_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError, isInfrastructureError } from '../../shared/errors.ts';
import type { BackgroundMode } from '../../workflows/definition/definition.ts';
import type { AcceptPorts, DispatchPorts, Ports } from '../ports.ts';
import { type BlobStore, isBriefRun } from '../record/blob-store.ts';
import { beganAt, type ExecutionRecord, type ExecutionStart, type Hold } from '../record/execution-store.ts';
import { packInput, packRefusal } from '../record/pack-result.ts';
import { computeLimits } from './limits.ts';
import { type NewExecution, toStart } from './new-execution.ts';

interface AcceptOptions {
  readonly mode: BackgroundMode;
  /** When the execution started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Whether a repeated delivery names the same execution. */
  readonly isRepeatable: boolean;
  /** Why the execution is stored, but not dispatched; null to dispatch it. */
  readonly held?: Hold | null;
}

/**
 * A repeated delivery within this time does not repeat the dispatch of an express run, because that may be in progress,
 * and Lambda would run both. After it, the sweeper checks such an execution: the first delivery may have had no answer.
 */
const DISPATCH_GRACE_MS = 10_000;

/**
 * Stores an execution, then dispatches it unless it is held. Idempotent for repeated deliveries, wherever an earlier
 * one was interrupted. Once this resolves, the run is certain to start; a held one starts when it is released.
 * @returns the record if it was accepted before; null if it was accepted now
 * @throws AppError `STORE_UNAVAILABLE` | `DISPATCH_REFUSED` if nothing was started, or a repeated delivery will start
 * the same execution
 */
export const acceptExecution = async (
  execution: NewExecution,
  options: AcceptOptions,
  ports: Omit<AcceptPorts, 'blobs'> & { readonly blobs: Pick<BlobStore, 'put'> },
): Promise<ExecutionRecord | null> => {
  const { executions, blobs, ids } = ports;
  const { executionId, input, refusal } = execution;
  const { mode, startedAt, isRepeatable, held = null } = options;
  const known = isRepeatable ? await executions.find(executionId) : null;
  if (known !== null) return dispatchAgain(known, ports);
  const { timeoutMs } = computeLimits(execution.workflow.definition.settings, mode);
  const isBrief = isBriefRun({ mode, held: held?.reason ?? null }, timeoutMs);
  const start = toStart(execution, {
    mode,
    status: 'accepted',
    held: held?.reason ?? null,
    place: held?.place,
    startedAt,
    startToken: ids.next(),
    input: refusal === undefined ? await packInput(executionId, input, blobs, isBrief) : packRefusal(refusal),
    callbackKey: createCallbackKey(ids),
  });
  if (!(await executions.start(start))) {
    const other = await executions.find(executionId);
    // Its record has expired in the meantime, so a dispatch would run nothing.
    if (other === null) throw new AppError(STORE_UNAVAILABLE, {});
    return dispatchAgain(other, ports);
  }
  if (held !== null) return null;
  // It is not withdrawn, because a repeated delivery dispatches the same execution.
  if (isRepeatable)
    await dispatchOrMarkDue({ executionId, redispatches: 0, startedAt, releasedAt: null }, mode, ports);
  else await dispatchOrWithdraw(start, mode, ports);
  return null;
};

/**
 * Dispatches an accepted execution again, since the process that accepted it may have crashed before dispatching it: at
 * once if Lambda starts it once by its name.
 */
export const dispatchAgain = async (
  record: ExecutionRecord,
  ports: DispatchPorts,
): Promise<ExecutionRecord> => {
  const { status, held, mode, leaseExpiresAt } = record;
  if (status !== 'accepted' || held !== null || mode === 'inline') return record;
  const doubtedUntil = beganAt(record) + DISPATCH_GRACE_MS;
  if (mode === 'durable' || isDispatchDue(record, ports.clock.now()))
    await dispatchOrMarkDue(record, mode, ports);
  else if (leaseExpiresAt !== null && leaseExpiresAt > doubtedUntil)
    await ports.executions.extendLease(record, doubtedUntil);
  return record;
};

const isDispatchDue = ({ startedAt, leaseExpiresAt }: ExecutionRecord, now: number): boolean =>
  now - startedAt >= DISPATCH_GRACE_MS || (leaseExpiresAt !== null && leaseExpiresAt <= now);

/**
 * Dispatches an execution that stays stored. If Lambda refuses it, it is due from its start on: the next delivery or
 * sweep dispatches it at once, oldest first, knowing that Lambda does not have it.
 * @throws AppError `DISPATCH_REFUSED`
 */
export const dispatchOrMarkDue = async (
  record: Pick<ExecutionRecord, 'executionId' | 'redispatches' | 'startedAt' | 'releasedAt'>,
  mode: BackgroundMode,
  { dispatcher, executions, clock, logger }: DispatchPorts,
): Promise<void> => {
  const { executionId, redispatches } = record;
  try {
    await dispatcher.dispatch(executionId, mode, redispatches);
  } catch (error) {
    const dueAt = Math.min(beganAt(record), clock.now()); // the gateway's clock may be ahead
    await executions.extendLease({ executionId, status: 'accepted' }, dueAt).catch((cause: unknown) => {
      logger.warn('The execution could not be marked as due.', { executionId, cause });
    });
    throw error;
  }
};

/** Creates the key that signs callback URLs: two random UUIDs, 244 random bits. */
export const createCallbackKey = (ids: Ids): string => `${ids.next()}${ids.next()}`;

/**
 * Dispatches an execution that was just stored. If that fails, it is withdrawn, because a caller's retry gets another
 * id. Once this resolves, the run is certain to start.
 * @throws AppError `DISPATCH_REFUSED` if it was withdrawn
 */
export const dispatchOrWithdraw = async (
  { executionId, startToken }: Pick<ExecutionStart, 'executionId' | 'startToken'>,
  mode: BackgroundMode,
  { executions, dispatcher, logger }: Pick<Ports, 'executions' | 'dispatcher' | 'logger'>,
): Promise<void> => {
  try {
    await dispatcher.dispatch(executionId, mode);
  } catch (refusal) {
    try {
      // It may have started after all.
      if (!(await executions.withdraw(executionId, startToken))) return;
    } catch (cause) {
      if (!isInfrastructureError(cause)) throw cause;
      logger.warn('The execution is stored, but not dispatched; it starts with the next sweep.', {
        executionId,
        cause,
      });
      return;
    }
    throw refusal;
  }
};
