import type { JsonObject } from '../contract/json.ts';
import type { Clock, Logger } from '../contract/services.ts';
import { AppError } from '../errors.ts';
import type { Workflow } from '../workflows/definition.ts';
import type { ExecutionResult } from './execution.ts';
import type { ExecutionStart, ExecutionStore } from './execution-store.ts';

/** One run of one version of a workflow that is to happen. */
export interface Launch {
  /** `A-Z a-z 0-9 - _`, at most 64 characters. The same id never runs twice. */
  readonly executionId: string;
  readonly workflow: Workflow;
  /** The trigger that fired. */
  readonly trigger: ExecutionStart['trigger'];
  /** What the trigger gets as its input. */
  readonly input: JsonObject;
  /** How long it may take, whatever the workflow's own limit is, in milliseconds. */
  readonly timeLimitMs: number;
}

/** A launch that is ready to run: rejecting is a fault of ours, a failing node is a result. */
export type RunPrepared = (startedAt: number) => Promise<ExecutionResult>;

export interface RunParts {
  readonly executions: ExecutionStore;
  /** Rejects with `WORKFLOW_INVALID` for a workflow that can't run, before its start is recorded. */
  readonly prepare: (launch: Launch) => Promise<RunPrepared>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

/** Runs to the end, with a record of its start and of its end. */
export type RunExecution = (launch: Launch) => Promise<ExecutionResult>;

/**
 * Rejects with AppError `WORKFLOW_INVALID` | `STORE_UNAVAILABLE` | `ALREADY_STARTED`: then nothing was run. Once
 * the start is recorded it always resolves, and what it resolves to is true even if the end can't be recorded.
 */
export const createRunExecution =
  ({ executions, prepare, clock, logger }: RunParts): RunExecution =>
  async (launch) => {
    const runPrepared = await prepare(launch);
    const start = toStart(launch, clock.now());
    if (!(await startOnce(executions, start))) {
      throw new AppError('ALREADY_STARTED', { executionId: launch.executionId });
    }
    const result = await runToResult(() => runPrepared(start.startedAt), start, logger);
    await recordEnd({ executions, clock, logger }, start, result);
    return result;
  };

const toStart = ({ executionId, workflow, trigger }: Launch, startedAt: number): ExecutionStart => ({
  executionId,
  workflowId: workflow.definition.id,
  workflowVersion: workflow.version,
  trigger,
  startedAt,
});

/**
 * False when somebody else has started this execution. When the reply to a write is lost, the store's client
 * writes again and meets its own record: that is told by its content, or the run would be lost. Ids that are made
 * from a delivery, instead of drawn, will need more than the time to tell whose record it is.
 */
const startOnce = async (executions: ExecutionStore, start: ExecutionStart): Promise<boolean> => {
  if (await executions.start(start)) return true;
  const record = await executions.find(start.executionId);
  return record?.status === 'running' && record.startedAt === start.startedAt;
};

/** An engine that throws is a fault of ours; the record must not say `running` for ever because of it. */
const runToResult = async (
  run: () => Promise<ExecutionResult>,
  start: ExecutionStart,
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
  { executions, clock, logger }: Omit<RunParts, 'prepare'>,
  start: ExecutionStart,
  { status, nodes, failure }: ExecutionResult,
): Promise<void> => {
  try {
    const end = { status, endedAt: clock.now(), nodes, failure };
    const isRecorded = await executions.finish(start.executionId, end);
    if (!isRecorded) logger.warn('The execution had ended before; its record stays.', namesOf(start));
  } catch (cause) {
    logger.error('The end of the execution is not recorded.', { ...namesOf(start), status, cause });
  }
};

const namesOf = ({ executionId, workflowId, workflowVersion }: ExecutionStart) => ({
  executionId,
  workflowId,
  workflowVersion,
});
