import type { Clock, Ids, Logger } from '@hookloom/plugin-kit';
import { isAppError } from '../../shared/errors.ts';
import { operatorError } from '../../shared/operator-errors.ts';
import type { BackgroundMode, Workflow } from '../../workflows/definition/definition.ts';
import type { WorkflowStore } from '../../workflows/definition/workflow-store.ts';
import type { Plan } from '../../workflows/plan/plan.ts';
import { isFinal } from '../record/execution-status.ts';
import type {
  ExecutionData,
  ExecutionRecord,
  ExecutionStart,
  ExecutionStore,
} from '../record/execution-store.ts';
import { readRefusal } from '../record/pack-result.ts';
import { createCallbackKey } from './accept-execution.ts';
import { checkJournal } from './check-journal.ts';
import { type Dispatcher, dispatchOrWithdraw } from './dispatch-execution.ts';
import { findExecution } from './find-execution.ts';
import { toStart } from './new-execution.ts';
import type { OpenPlan } from './plans.ts';

export interface RetryOptions {
  /** The first node to run again; null for all of them. */
  readonly from: string | null;
  readonly version: 'recorded' | 'current';
}

export interface RetryParts {
  readonly executions: ExecutionStore;
  readonly workflows: Pick<WorkflowStore, 'find' | 'findVersion'>;
  readonly dispatcher: Dispatcher;
  readonly openPlan: OpenPlan;
  readonly modeOf: (workflow: Workflow) => Promise<BackgroundMode>;
  readonly ids: Ids;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

/**
 * Starts a new execution with the input of a finished one: from its trigger, or from a node with the checkpoints of the
 * steps before it.
 *
 * @throws AppError `EXECUTION_NOT_FOUND` | `NOT_RETRYABLE` | `DISPATCH_REFUSED` | `STORE_UNAVAILABLE` when none was started
 */
export const retryExecution = async (
  executionId: string,
  options: RetryOptions,
  parts: RetryParts,
): Promise<ExecutionStart> => {
  const record = await findExecution(executionId, parts);
  const notRetryable = (reason: string) => operatorError('NOT_RETRYABLE', { executionId, reason });
  if (!isFinal(record.status)) throw notRetryable(`it has not ended: it is ${record.status}`);
  const data = await parts.executions.findData(executionId);
  if (data === null || data.input === null)
    throw notRetryable('its request was not kept: of runs whose caller waited, only that of failed ones is');
  if (readRefusal(data.input) !== null)
    throw notRetryable('what started it can not be run, and was not kept');
  const workflow = await findWorkflow(record, options, parts);
  if (workflow === null)
    throw notRetryable(`there is no ${options.version} version of workflow ${record.workflowId}`);
  const plan = await openPlan(workflow, parts);
  if (plan === null) throw notRetryable(`workflow ${workflow.definition.id} can't run`);
  const problem =
    findProblem(plan, record, options) ??
    (options.from === null ? null : await checkJournal(record, data, plan, options.from));
  if (problem !== null) throw notRetryable(problem);

  const mode = await parts.modeOf(workflow);
  const start = toRetry(record, data, workflow, options, { ...parts, mode });
  await parts.executions.start(start);
  await dispatchOrWithdraw(start, mode, parts);
  return start;
};

const findWorkflow = (
  { workflowId, workflowVersion }: ExecutionRecord,
  { version }: RetryOptions,
  { workflows }: RetryParts,
): Promise<Workflow | null> =>
  version === 'current' ? workflows.find(workflowId) : workflows.findVersion(workflowId, workflowVersion);

/** @returns null for a workflow that can't run */
const openPlan = async (workflow: Workflow, parts: RetryParts): Promise<Plan | null> => {
  try {
    return await parts.openPlan(workflow);
  } catch (error) {
    if (isAppError(error, 'WORKFLOW_INVALID')) return null;
    throw error;
  }
};

/** @returns why this version can't be run with these options; null when it can */
const findProblem = (plan: Plan, { trigger }: ExecutionRecord, { from }: RetryOptions): string | null => {
  const start = plan.nodes.find(({ node }) => node.id === trigger.nodeId);
  const isFired = start?.nodeType.kind === 'trigger' && start.node.disabled !== true;
  if (!isFired) return `this version has no trigger "${trigger.nodeId}" that is enabled`;
  if (from === null) return null;
  const target = plan.nodes.find(({ node }) => node.id === from);
  if (target === undefined) return `this version has no node "${from}"`;
  const isReached = plan.routeFrom(trigger.nodeId).incoming[target.index]?.length !== 0;
  return isReached
    ? null
    : `no way leads from its trigger to the node "${from}", or only through the node that runs it`;
};

const toRetry = (
  { executionId, trigger, keepsResult, traceparent, requestId = null }: ExecutionRecord,
  { input, checkpoints }: ExecutionData,
  workflow: Workflow,
  { from }: RetryOptions,
  { ids, clock, mode }: Pick<RetryParts, 'ids' | 'clock'> & { readonly mode: BackgroundMode },
): ExecutionStart =>
  toStart(
    { executionId: ids.next(), workflow, trigger, traceparent, requestId, keepsResult },
    {
      mode,
      status: 'accepted',
      startedAt: clock.now(),
      startToken: ids.next(),
      input,
      callbackKey: createCallbackKey(ids),
      retryOf: { executionId, fromNodeId: from },
      retriedCheckpoints: from === null ? null : checkpoints,
    },
  );
