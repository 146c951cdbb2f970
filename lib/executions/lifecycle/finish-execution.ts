// Invariants of the end of an execution; tests cite them.
// B11: An execution ends once: the first end that is recorded stays, and only that one is published.
// B12: An end is published after it is recorded, and stays in the outbox until it is published and reported.

import { isId } from '@hookloom/plugin-kit/host';
import { failOpenNodes, findOpenNode } from '../../engine/result.ts';
import { EXECUTION_NOT_FOUND } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { FinishPorts, Ports } from '../ports.ts';
import type {
  EndedExecution,
  ExecutionEnd,
  ExecutionIdentity,
  ExecutionRecord,
  ExecutionStart,
  ExecutionStore,
  FinalStatus,
} from '../record/execution-store.ts';
import { type FailedExecution, isReportable, type SendReport } from '../record/failure-reports.ts';

/** The end of an execution as its run computes it. */
export type NewEnd = Omit<ExecutionEnd, 'isInOutbox'>;

/**
 * Records the end of an execution that has not ended yet, then publishes it, and reports it if a trigger asks for such
 * failures. Never in the other order, because an end that is not recorded may be replaced by another one. The record
 * stays in the outbox until both are done, so that the sweeper completes what a crash interrupted. An end that is
 * neither published nor reported never enters the outbox.
 * @returns false, with nothing changed or published, if it had already ended
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const finishExecution = (
  execution: ExecutionIdentity,
  end: NewEnd,
  ports: FinishPorts,
): Promise<boolean> =>
  recordAndPublish(execution, end, ports, (recorded) =>
    ports.executions.finish(execution.executionId, recorded),
  );

/**
 * {@link finishExecution} for an execution whose start is not recorded.
 * @returns false, with nothing changed or published, if it is already recorded
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const startAndFinish = (start: ExecutionStart, end: NewEnd, ports: FinishPorts): Promise<boolean> =>
  recordAndPublish(start, end, ports, (recorded) => ports.executions.startAndFinish(start, recorded));

const recordAndPublish = async (
  execution: ExecutionIdentity,
  end: NewEnd,
  ports: FinishPorts,
  record: (end: ExecutionEnd) => Promise<boolean>,
): Promise<boolean> => {
  const endedAt = Math.max(end.endedAt, execution.startedAt); // clocks of two machines differ
  const sendReport = end.status === 'succeeded' ? null : await findReport({ ...execution, ...end }, ports);
  const recorded = { ...end, endedAt, isInOutbox: ports.usesOutbox || sendReport !== null };
  const isFinished = await record(recorded);
  if (isFinished) await publishCompletion(execution, recorded, sendReport, ports);
  return isFinished;
};

/** Finds the report of a failed execution; null if the run succeeded. */
const findReport = async (execution: FailedExecution, ports: FinishPorts): Promise<SendReport | null> =>
  execution.status !== 'succeeded' && isReportable(execution)
    ? ((await ports.findReport?.(execution)) ?? null)
    : null;

/**
 * Ends an execution that its run can't end. Completed nodes keep their records; open ones fail for the same reason.
 * @param reason - the failure, at the last open node unless it names another one
 * @returns see {@link finishExecution}
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const finishEarly = (
  record: ExecutionRecord,
  status: Exclude<FinalStatus, 'succeeded'>,
  reason: { readonly nodeId?: string; readonly name: string; readonly message: string },
  ports: FinishPorts & Pick<Ports, 'clock'>,
  extra: Pick<ExecutionEnd, 'checkpoints'> = {},
): Promise<boolean> => {
  const { nodes, nodesOmitted, trigger } = record;
  const { nodeId = findOpenNode(nodes)?.nodeId ?? trigger.nodeId, name, message } = reason;
  const endedAt = ports.clock.now();
  const failure = { nodeId, name, message };
  const end = { status, endedAt, nodes: failOpenNodes(nodes, endedAt, failure), nodesOmitted, failure };
  const leavesQueue = record.held !== null;
  return finishExecution(record, { ...end, leavesQueue, checkpoints: null, ...extra }, ports);
};

/**
 * Publishes and reports an end from the outbox. Never rejects: an end that can't be published or reported stays in the
 * outbox.
 */
export const publishEnd = async (
  execution: EndedExecution & Pick<ExecutionEnd, 'isInOutbox'>,
  ports: FinishPorts,
): Promise<void> => publishCompletion(execution, execution, await findReport(execution, ports), ports);

const publishCompletion = async (
  execution: ExecutionIdentity,
  end: Pick<ExecutionEnd, 'status' | 'endedAt' | 'failure' | 'isInOutbox'>,
  sendReport: SendReport | null,
  { executions, events, logger }: FinishPorts,
): Promise<void> => {
  const { executionId, workflowId } = execution;
  const sent = events.publish(toEnded(execution, end));
  const reported = sendReport?.();
  if (reported !== undefined) await Promise.allSettled([sent, reported]);
  try {
    await sent;
    await reported;
  } catch (cause) {
    logger.error('The end of the execution could not be published.', { executionId, workflowId, cause });
    return;
  }
  if (!end.isInOutbox) return;
  try {
    await executions.markPublished(executionId);
  } catch (cause) {
    logger.warn(
      'The end of the execution was published, but that could not be recorded; it will be published again.',
      {
        executionId,
        cause,
      },
    );
  }
};

const toEnded = (
  execution: ExecutionIdentity,
  { status, endedAt, failure }: Pick<ExecutionEnd, 'status' | 'endedAt' | 'failure'>,
): EndedExecution => {
  const { executionId, workflowId, workflowVersion, trigger, mode, startedAt, retryOf } = execution;
  const { traceparent, hasMetrics } = execution;
  return {
    executionId,
    workflowId,
    workflowVersion,
    trigger,
    mode,
    startedAt,
    retryOf,
    status,
    endedAt,
    failure,
    traceparent,
    ...(hasMetrics === undefined ? {} : { hasMetrics }),
  };
};

/** The longest timeout of a Lambda function. */
const MAX_INLINE_MS = 15 * 60_000;

/** The name of the failure of an execution whose process ended without recording a result. */
export const PROCESS_LOST = 'ProcessLost';

/** @throws AppError `EXECUTION_NOT_FOUND` | `STORE_UNAVAILABLE` */
export const findExecution = async (
  executionId: string,
  { executions }: { readonly executions: Pick<ExecutionStore, 'find'> },
): Promise<ExecutionRecord> => {
  const record = isId(executionId) ? await executions.find(executionId) : null;
  if (record !== null) return record;
  throw new AppError(EXECUTION_NOT_FOUND, {
    executionId: isId(executionId) ? executionId : 'with this id',
  });
};

/**
 * Finds an execution. If it is an inline run whose process has died, ends it first, since an index for the sweeper
 * would cost more than these rare cases justify.
 * @throws AppError `EXECUTION_NOT_FOUND` | `STORE_UNAVAILABLE`
 */
export const findReconciledExecution = async (
  executionId: string,
  ports: FinishPorts & Pick<Ports, 'clock'>,
): Promise<ExecutionRecord> => {
  const record = await findExecution(executionId, ports);
  const ageMs = ports.clock.now() - record.startedAt;
  if (record.mode !== 'inline' || record.status !== 'running' || ageMs <= MAX_INLINE_MS) return record;
  const message = 'its process ended without recording a result';
  await finishEarly(record, 'failed', { name: PROCESS_LOST, message }, ports);
  return findExecution(executionId, ports);
};
