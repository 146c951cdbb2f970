import type { JsonObject } from '../../contract/json.ts';
import type { Clock, Ids, Logger } from '../../contract/services.ts';
import type { ExecutionResult } from '../../engine/result.ts';
import { AppError } from '../../shared/errors.ts';
import type { Workflow } from '../../workflows/definition/definition.ts';
import type { BlobStore } from '../record/blob-store.ts';
import type { ExecutionStart, ExecutionStore } from '../record/execution-store.ts';
import { packInput, packResult } from '../record/pack-result.ts';
import { viewNodes } from '../record/view-data.ts';
import { type FinishParts, finishExecution } from './finish-execution.ts';
import { keepsData } from './limits.ts';

/** One run of one version of a workflow that is to happen, from start to end in this process. */
export interface InlineRun {
  /** `A-Z a-z 0-9 - _`, at most 64 characters. The same id never runs twice. */
  readonly executionId: string;
  readonly workflow: Workflow;
  /** The trigger that fired. */
  readonly trigger: ExecutionStart['trigger'];
  /** What the trigger gets as its input. */
  readonly input: JsonObject;
  /** How long it may take, whatever the workflow's own limit is, in milliseconds. */
  readonly timeLimitMs: number;
  /** Whether somebody may ask again for what it came to. */
  readonly keepsResult: boolean;
  readonly traceparent: ExecutionStart['traceparent'];
}

/** An inline run whose plan is at hand. Rejects for a fault of ours; a failing node is a result. */
export type RunPrepared = (startedAt: number) => Promise<ExecutionResult>;

export interface RunParts extends FinishParts {
  readonly executions: ExecutionStore;
  /** Rejects with `WORKFLOW_INVALID` for a workflow that can't run, before its start is recorded. */
  readonly prepare: (inlineRun: InlineRun) => Promise<RunPrepared>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  readonly blobs: BlobStore;
}

/** Runs to the end, with a record of its start and of its end. */
export type RunExecution = (inlineRun: InlineRun) => Promise<ExecutionResult>;

/**
 * Rejects with AppError `WORKFLOW_INVALID` | `STORE_UNAVAILABLE` | `ALREADY_STARTED`: then nothing was run. Once
 * the start is recorded it always resolves, and what it resolves to is true even if the end can't be recorded.
 */
export const createRunExecution =
  (parts: RunParts): RunExecution =>
  async (inlineRun) => {
    const { executions, prepare, clock, ids, logger } = parts;
    const runPrepared = await prepare(inlineRun);
    const start = toStart(inlineRun, clock.now(), ids.next());
    if (!(await executions.start(start))) {
      throw new AppError('ALREADY_STARTED', { executionId: inlineRun.executionId });
    }
    const result = await runToResult(() => runPrepared(start.startedAt), start, logger);
    await recordEnd(inlineRun, start, result, parts);
    return result;
  };

const toStart = (
  { executionId, workflow, trigger, keepsResult, traceparent }: InlineRun,
  startedAt: number,
  startToken: string,
): ExecutionStart => ({
  executionId,
  workflowId: workflow.definition.id,
  workflowVersion: workflow.version,
  trigger,
  mode: 'inline',
  status: 'running',
  startedAt,
  startToken,
  // Nothing resumes it. It is kept at the end of a run that failed, for a retry.
  input: null,
  callbackKey: null,
  retryOf: null,
  traceparent,
  retriedCheckpoints: null,
  keepsResult,
});

/** An engine that throws is a fault of ours; the record must not say `running` for ever because of it. */
export const runToResult = async (
  run: () => Promise<ExecutionResult>,
  start: Pick<ExecutionStart, 'executionId' | 'workflowId' | 'workflowVersion' | 'trigger'>,
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
  { workflow, input }: InlineRun,
  start: ExecutionStart,
  result: ExecutionResult,
  parts: RunParts,
): Promise<void> => {
  const { clock, logger } = parts;
  const { status, nodes, failure } = result;
  try {
    const hasFailed = status !== 'succeeded';
    const isKept = keepsData(workflow.definition.settings, 'inline', hasFailed);
    const end = {
      status,
      endedAt: clock.now(),
      nodes: viewNodes(nodes, { keepsData: isKept }),
      failure,
      ...(await packResult(start, result, input, parts.blobs)),
      ...(hasFailed ? { input: await packInput(start.executionId, input, parts.blobs) } : {}),
    };
    const isRecorded = await finishExecution(start, end, parts);
    if (!isRecorded) logger.warn('The execution had ended before; its record stays.', namesOf(start));
  } catch (cause) {
    logger.error('The end of the execution is not recorded.', { ...namesOf(start), status, cause });
  }
};

const namesOf = ({
  executionId,
  workflowId,
  workflowVersion,
}: Pick<ExecutionStart, 'executionId' | 'workflowId' | 'workflowVersion'>) => ({
  executionId,
  workflowId,
  workflowVersion,
});
