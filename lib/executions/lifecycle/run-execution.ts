import type { Clock, Ids, Logger } from '@hookloom/plugin-kit';
import type { ExecutionResult } from '../../engine/result.ts';
import { AppError } from '../../shared/errors.ts';
import type { BlobStore } from '../record/blob-store.ts';
import { dropData } from '../record/drop-data.ts';
import type { ExecutionIdentity, ExecutionStart, ExecutionStore } from '../record/execution-store.ts';
import { packInput, packResult } from '../record/pack-result.ts';
import { type FinishParts, finishExecution, type NewEnd, startAndFinish } from './finish-execution.ts';
import { keepsData } from './limits.ts';
import { type NewExecution, toStart } from './new-execution.ts';
import type { PrepareRun } from './prepare-run.ts';

interface RunParts extends FinishParts {
  readonly executions: ExecutionStore;
  readonly prepare: PrepareRun;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  readonly blobs: Pick<BlobStore, 'put'>;
}

/**
 * Runs an execution in this process and records it: its start before it touches the outside, and its end. A run that
 * touches nothing is recorded once, at its end, so that it costs one write: when that fails, nothing has happened.
 *
 * @param timeLimitMs - upper bound of the workflow's timeout
 * @throws AppError `WORKFLOW_INVALID` | `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE` | `ALREADY_STARTED` when nothing was
 *   done; once the start is recorded it always resolves, even if the end can't be recorded
 */
export type RunExecution = (execution: NewExecution, timeLimitMs: number) => Promise<ExecutionResult>;

export const createRunExecution =
  (parts: RunParts): RunExecution =>
  async (execution, timeLimitMs) => {
    const { prepare, clock, ids, logger } = parts;
    const { isPure, run } = await prepare(execution, timeLimitMs);
    const start = toStart(execution, {
      mode: 'inline',
      status: 'running',
      startedAt: clock.now(),
      startToken: ids.next(),
      input: null, // never resumed; the end of a failed run keeps it, for a retry
      callbackKey: null,
    });
    // The record of a run with a delivery key is its claim, too: repeated deliveries look for it.
    const isRecordedOnce = isPure && !execution.keepsResult;
    if (!isRecordedOnce) await startOnce(parts.executions.start(start), start);
    const result = await runToResult(() => run(start), start, logger);
    const toEnd = () => computeEnd(execution, start, result, parts);
    if (isRecordedOnce) await startOnce(startAndFinish(start, await toEnd(), parts), start);
    else await recordEnd(start, result, toEnd, parts);
    return result;
  };

const startOnce = async (started: Promise<boolean>, { executionId }: ExecutionStart): Promise<void> => {
  if (!(await started)) throw new AppError('ALREADY_STARTED', { executionId });
};

/** Turns a bug of the engine into a failed execution, so that its record does not stay open. */
export const runToResult = async (
  run: () => Promise<ExecutionResult>,
  start: ExecutionIdentity,
  logger: Logger,
): Promise<ExecutionResult> => {
  try {
    return await run();
  } catch (cause) {
    logger.error('The engine failed.', { ...namesOf(start), cause });
    const message = 'Something failed on our side.';
    const failure = { nodeId: start.trigger.nodeId, name: 'InternalError', message };
    return { status: 'failed', nodes: [], output: {}, response: null, failure };
  }
};

const computeEnd = async (
  { workflow, input }: NewExecution,
  { executionId, keepsResult }: ExecutionStart,
  result: ExecutionResult,
  { clock, blobs }: RunParts,
): Promise<NewEnd> => {
  const { status, nodes, failure } = result;
  const hasFailed = status !== 'succeeded';
  const isKept = keepsData(workflow.definition.settings, 'inline', hasFailed);
  return {
    status,
    endedAt: clock.now(),
    nodes: isKept ? (await import('../record/view-data.chunk.ts')).viewNodes(nodes) : dropData(nodes),
    failure,
    ...(await packResult({ executionId, keepsResult }, result, input, blobs)),
    ...(hasFailed ? { input: await packInput(executionId, input, blobs, true) } : {}),
  };
};

const recordEnd = async (
  start: ExecutionStart,
  { status }: ExecutionResult,
  toEnd: () => Promise<NewEnd>,
  parts: RunParts,
): Promise<void> => {
  const { logger } = parts;
  try {
    const isRecorded = await finishExecution(start, await toEnd(), parts);
    if (!isRecorded) logger.warn('The execution had ended before; its record stays.', namesOf(start));
  } catch (cause) {
    logger.error('The end of the execution is not recorded.', { ...namesOf(start), status, cause });
  }
};

const namesOf = ({ executionId, workflowId, workflowVersion }: ExecutionIdentity) => ({
  executionId,
  workflowId,
  workflowVersion,
});
