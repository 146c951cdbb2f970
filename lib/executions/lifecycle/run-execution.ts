import type { Clock, Ids, Logger } from '../../contract/services.ts';
import type { ExecutionResult } from '../../engine/result.ts';
import { AppError } from '../../shared/errors.ts';
import type { BlobStore } from '../record/blob-store.ts';
import type { ExecutionIdentity, ExecutionStart, ExecutionStore } from '../record/execution-store.ts';
import { packInput, packResult } from '../record/pack-result.ts';
import { viewNodes } from '../record/view-data.ts';
import { type FinishParts, finishExecution } from './finish-execution.ts';
import { keepsData } from './limits.ts';
import { type NewExecution, toStart } from './new-execution.ts';
import type { PrepareRun } from './prepare-run.ts';

interface RunParts extends FinishParts {
  readonly executions: ExecutionStore;
  readonly prepare: PrepareRun;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  readonly blobs: BlobStore;
}

/**
 * Runs an execution in this process, and records its start and end. Once the start is recorded it always resolves, even
 * if the end can't be recorded.
 *
 * @param timeLimitMs - upper bound of the workflow's timeout
 * @throws AppError `WORKFLOW_INVALID` | `STORE_UNAVAILABLE` | `ALREADY_STARTED` when nothing was run
 */
export type RunExecution = (execution: NewExecution, timeLimitMs: number) => Promise<ExecutionResult>;

export const createRunExecution =
  (parts: RunParts): RunExecution =>
  async (execution, timeLimitMs) => {
    const { executions, prepare, clock, ids, logger } = parts;
    const run = await prepare(execution, timeLimitMs);
    const start = toStart(execution, {
      mode: 'inline',
      status: 'running',
      startedAt: clock.now(),
      startToken: ids.next(),
      input: null, // never resumed; the end of a failed run keeps it, for a retry
      callbackKey: null,
    });
    if (!(await executions.start(start))) {
      throw new AppError('ALREADY_STARTED', { executionId: execution.executionId });
    }
    const result = await runToResult(() => run(start), start, logger);
    await recordEnd(execution, start, result, parts);
    return result;
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

const recordEnd = async (
  { workflow, input }: NewExecution,
  start: ExecutionStart,
  result: ExecutionResult,
  parts: RunParts,
): Promise<void> => {
  const { clock, logger, blobs } = parts;
  const { status, nodes, failure } = result;
  try {
    const hasFailed = status !== 'succeeded';
    const isKept = keepsData(workflow.definition.settings, 'inline', hasFailed);
    const end = {
      status,
      endedAt: clock.now(),
      nodes: viewNodes(nodes, { keepsData: isKept }),
      failure,
      ...(await packResult(start, result, input, blobs)),
      ...(hasFailed ? { input: await packInput(start.executionId, input, blobs) } : {}),
    };
    const isRecorded = await finishExecution(start, end, parts);
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
