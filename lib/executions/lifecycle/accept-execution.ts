import type { JsonObject } from '../../contract/json.ts';
import type { Clock, Ids, Logger } from '../../contract/services.ts';
import { AppError } from '../../shared/errors.ts';
import type { BackgroundMode } from '../../workflows/definition/definition.ts';
import type { BlobStore } from '../record/blob-store.ts';
import type { ExecutionRecord, ExecutionStart, ExecutionStore } from '../record/execution-store.ts';
import { packInput } from '../record/pack-result.ts';
import { dispatchOrWithdraw } from './dispatch-execution.ts';
import type { Dispatcher } from './dispatcher.ts';

/** A background run that is to happen. */
export interface Acceptance
  extends Pick<
    ExecutionStart,
    'executionId' | 'workflowId' | 'workflowVersion' | 'trigger' | 'startedAt' | 'keepsResult' | 'traceparent'
  > {
  readonly mode: BackgroundMode;
  /** What the trigger gets. */
  readonly input: JsonObject;
  /** Whether somebody who tries again names the same execution. */
  readonly isRepeatable: boolean;
}

export interface AcceptParts {
  readonly executions: ExecutionStore;
  readonly dispatcher: Dispatcher;
  readonly blobs: BlobStore;
  readonly ids: Ids;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

/** How long a dispatch is taken to be under way: a delivery that is repeated meanwhile does not repeat it. */
const DISPATCH_MS = 10_000;

/**
 * Stores an execution, then hands it over to the engine that runs it. Each of the two happens once, however often it
 * is asked for and wherever it was interrupted before. When it resolves, the run is certain to happen.
 * @returns the execution as it was found when it had been accepted before, null when it was accepted now
 * Rejects with AppError `STORE_UNAVAILABLE` | `DISPATCH_REFUSED`: then it was not started, or the same execution is
 * started by trying again.
 */
export const acceptExecution = async (
  acceptance: Acceptance,
  parts: AcceptParts,
): Promise<ExecutionRecord | null> => {
  const { executions } = parts;
  const { executionId, mode, isRepeatable } = acceptance;
  const known = isRepeatable ? await executions.find(executionId) : null;
  if (known !== null) return dispatchAgain(known, parts);
  const start = await toStart(acceptance, parts);
  if (!(await executions.start(start))) {
    const other = await executions.find(executionId);
    // Expired between the two: to launch it now would run nothing.
    if (other === null) throw new AppError('STORE_UNAVAILABLE', {});
    return dispatchAgain(other, parts);
  }
  // A repeated delivery names this very execution: it stays.
  if (isRepeatable) await dispatchOrMark(start, mode, parts);
  else await dispatchOrWithdraw(start, mode, parts);
  return null;
};

/** The process that accepted it may not have got as far as to dispatch it. */
const dispatchAgain = async (record: ExecutionRecord, parts: AcceptParts): Promise<ExecutionRecord> => {
  const { status, mode } = record;
  if (status === 'accepted' && mode !== 'inline' && isDispatchDue(record, parts.clock.now()))
    await dispatchOrMark(record, mode, parts);
  return record;
};

const isDispatchDue = ({ startedAt, leaseExpiresAt }: ExecutionRecord, now: number): boolean =>
  now - startedAt >= DISPATCH_MS || (leaseExpiresAt !== null && leaseExpiresAt <= now);

/** A dispatch that is refused is marked as due, so that the next delivery, or the sweeper, does not wait for it. */
const dispatchOrMark = async (
  { executionId, redispatches = 0 }: Pick<ExecutionStart, 'executionId'> & { readonly redispatches?: number },
  mode: BackgroundMode,
  { dispatcher, executions, clock, logger }: AcceptParts,
): Promise<void> => {
  try {
    await dispatcher.dispatch(executionId, mode, redispatches);
  } catch (error) {
    await executions.extendLease(executionId, clock.now()).catch((cause: unknown) => {
      logger.warn('The execution is not marked as due.', { executionId, cause });
    });
    throw error;
  }
};

const toStart = async (acceptance: Acceptance, { blobs, ids }: AcceptParts): Promise<ExecutionStart> => {
  const { executionId, workflowId, workflowVersion, trigger, mode, startedAt, keepsResult } = acceptance;
  const { input, traceparent } = acceptance;
  return {
    ...{ executionId, workflowId, workflowVersion, trigger, mode, startedAt, keepsResult, traceparent },
    status: 'accepted',
    startToken: ids.next(),
    input: await packInput(executionId, input, blobs),
    callbackKey: drawCallbackKey(ids),
    retryOf: null,
    retriedCheckpoints: null,
  };
};

/** Two random UUIDs: 244 random bits. */
export const drawCallbackKey = (ids: Ids): string => `${ids.next()}${ids.next()}`;
