import type { JsonObject } from '@hookloom/plugin-kit';

import { NOT_RETRYABLE } from '../../shared/error-catalogue.ts';
import { AppError, isAppError, isInfrastructureError } from '../../shared/errors.ts';
import type { BackgroundMode, Workflow } from '../../workflows/definition/definition.ts';

import type { Plan } from '../../workflows/plan/plan.ts';
import type { Ports, RetryPorts } from '../ports.ts';
import { unpackText } from '../record/blob-store.ts';
import { completeInput, describeEdit } from '../record/edited-input.ts';
import {
  type ExecutionData,
  type ExecutionRecord,
  type ExecutionStart,
  isFinal,
  isTrial,
  keyIdOf,
  type RetryOptions,
} from '../record/execution-store.ts';
import { packInput, readRefusal } from '../record/pack-result.ts';
import {
  createCallbackKey,
  dispatchAgain,
  dispatchOrMarkDue,
  dispatchOrWithdraw,
} from './accept-execution.ts';
import { checkFailedItems } from './check-failed-items.ts';
import { checkJournal } from './check-journal.ts';
import { findExecution } from './finish-execution.ts';
import { type NewExecution, toStart } from './new-execution.ts';

/** An edited input of the trigger. */
interface InputEdit {
  /** The fields of the original's input to replace: see {@link completeInput}. */
  readonly input: JsonObject;
  /** ARN of the caller that has edited it; null without IAM, on this machine. */
  readonly by: string | null;
}

/** What a retry has started. */
type StartedRetry = ExecutionStart & {
  /** An earlier request has started the execution of this id: see {@link findRetry}. Absent if this one has. */
  readonly isKnown?: true;
};

/**
 * Starts a new execution with the input of a finished one, either from its trigger or from a node, with the checkpoints
 * of the steps before that node.
 * @param claimedId - the id of the new execution, if a repeated request has the same; null if each request is new
 * @throws AppError `EXECUTION_NOT_FOUND` | `NOT_RETRYABLE` | `DISPATCH_REFUSED` | `STORE_UNAVAILABLE` if none was
 * started, or a repeated request will start the same execution
 */
export const retryExecution = async (
  executionId: string,
  options: RetryOptions,
  ports: RetryPorts,
  claimedId: string | null = null,
): Promise<StartedRetry> => {
  const prepared = await prepareRetry(await findExecution(executionId, ports), options, ports);
  return startRetry(
    prepared,
    { executionId: claimedId ?? ports.ids.next(), isClaimed: claimedId !== null },
    ports,
  );
};

/**
 * Finds the retry that an earlier request has started, and dispatches it if that request's process may have crashed before.
 * @returns null if none was started
 * @throws AppError `DISPATCH_REFUSED` | `STORE_UNAVAILABLE`
 */
export const findRetry = async (
  retryOf: string,
  executionId: string,
  ports: RetryPorts,
): Promise<ExecutionRecord | null> => {
  const found = await ports.executions.find(executionId);
  if (found === null) return null;
  await noteRetry(retryOf, executionId, ports, null);
  return dispatchAgain(found, ports);
};

/**
 * {@link retryExecution} from the trigger, with an edited input, which is checked as the trigger checks any. Later nodes
 * are not edited, since the nodes before them have run with what they had.
 * @throws AppError see {@link retryExecution}; `BODY_INVALID`, and what `checkInput` throws
 */
export const retryEdited = async (
  executionId: string,
  version: RetryOptions['version'],
  { input: edited, by }: InputEdit,
  ports: RetryPorts & Pick<Ports, 'blobs' | 'checkInput'>,
  claimedId: string | null = null,
): Promise<StartedRetry> => {
  const record = await findExecution(executionId, ports);
  const prepared = await prepareRetry(record, { from: null, version }, ports);
  const original = await readInput(prepared, ports);
  const input = completeInput(original, edited);
  const problem = await ports.checkInput(prepared.workflow, record.trigger.nodeId, input);
  if (problem !== null) throw new AppError(NOT_RETRYABLE, { executionId, reason: problem });
  const newId = claimedId ?? ports.ids.next();
  // A retry copies what is not under its own key, so it may be stored as briefly as any other input.
  const packed = await packInput(newId, input, ports.blobs, true);
  const editedInput = describeEdit(original, input, by);
  return startRetry(
    { ...prepared, data: { ...prepared.data, input: packed } },
    { executionId: newId, editedInput, isClaimed: claimedId !== null },
    ports,
  );
};

/** An execution that can be retried, with what its retry starts with. */
export interface PreparedRetry {
  readonly record: ExecutionRecord;
  readonly data: ExecutionData & { readonly input: string };
  readonly workflow: Workflow;
  readonly plan: Plan;
  readonly options: RetryOptions;
}

/**
 * Finds what a retry starts with.
 * @throws AppError `NOT_RETRYABLE` | `STORE_UNAVAILABLE`
 */
export const prepareRetry = async (
  record: ExecutionRecord,
  options: RetryOptions,
  ports: Pick<Ports, 'executions' | 'workflows' | 'openPlan'>,
): Promise<PreparedRetry> => {
  const { executionId } = record;
  const notRetryable = (reason: string) => new AppError(NOT_RETRYABLE, { executionId, reason });
  if (isTrial(record)) throw notRetryable('it is a trial: try the node again');
  if (!isFinal(record.status)) throw notRetryable(`it has not ended: it is ${record.status}`);
  const data = await ports.executions.findData(executionId);
  if (data === null || data.input === null)
    throw notRetryable('its request was not kept: of runs whose caller waits, only failed ones keep it');
  if (readRefusal(data.input) !== null) throw notRetryable('its input cannot be run, and was not kept');
  const workflow = await findWorkflow(record, options, ports);
  if (workflow === null)
    throw notRetryable(`there is no ${options.version} version of the workflow ${record.workflowId}`);
  const plan = await openPlan(workflow, ports);
  if (plan === null) throw notRetryable(`the workflow ${workflow.definition.id} can't run`);
  const problem =
    findProblem(plan, record, options) ??
    (options.only === 'failedItems'
      ? await checkFailedItems(record, data, plan, options, ports)
      : options.from === null
        ? null
        : await checkJournal(record, data, plan, options.from));
  if (problem !== null) throw notRetryable(problem);
  return { record, data: { ...data, input: data.input }, workflow, plan, options };
};

/** @throws AppError `NOT_RETRYABLE` when it has expired, `STORE_UNAVAILABLE` */
const readInput = async (
  { record: { executionId }, data }: PreparedRetry,
  { blobs }: Pick<Ports, 'blobs'>,
): Promise<JsonObject> => {
  try {
    return JSON.parse(await unpackText(data.input, blobs)) as JsonObject;
  } catch (error) {
    if (isInfrastructureError(error)) throw error;
    throw new AppError(NOT_RETRYABLE, { executionId, reason: 'its request is no longer stored' });
  }
};

type RetryIdentity = Pick<NewExecution, 'executionId' | 'editedInput'>;

/** @throws AppError `DISPATCH_REFUSED` | `STORE_UNAVAILABLE` if none was started */
const startRetry = async (
  prepared: PreparedRetry,
  { isClaimed, ...identity }: RetryIdentity & { readonly isClaimed: boolean },
  ports: RetryPorts,
): Promise<StartedRetry> => {
  const mode = await ports.modeOf(prepared.workflow);
  const start = toRetry(prepared, identity, { ...ports, mode });
  if (!(await ports.executions.start(start)) && isClaimed) return { ...start, isKnown: true };
  // What was claimed is not withdrawn, because a repeated request dispatches the same execution.
  if (isClaimed) await dispatchOrMarkDue({ ...start, redispatches: 0, releasedAt: null }, mode, ports);
  else await dispatchOrWithdraw(start, mode, ports);
  await noteRetry(prepared.record.executionId, start.executionId, ports);
  return start;
};

/** Notes on an execution what retries it. @param replacing - null to keep the note of another retry */
const noteRetry = async (
  executionId: string,
  retriedBy: string,
  { executions, logger }: Pick<Ports, 'executions' | 'logger'>,
  replacing?: null,
): Promise<void> => {
  await executions.markRetried(executionId, retriedBy, replacing).catch((cause: unknown) => {
    logger.warn('The execution was retried, but that could not be recorded on it.', { executionId, cause });
  });
};

const findWorkflow = (
  { workflowId, workflowVersion }: ExecutionRecord,
  { version }: RetryOptions,
  { workflows }: Pick<Ports, 'workflows'>,
): Promise<Workflow | null> =>
  version === 'current' ? workflows.find(workflowId) : workflows.findVersion(workflowId, workflowVersion);

/** @returns null if the workflow can't run */
const openPlan = async (workflow: Workflow, ports: Pick<Ports, 'openPlan'>): Promise<Plan | null> => {
  try {
    return await ports.openPlan(workflow);
  } catch (error) {
    if (isAppError(error, 'WORKFLOW_INVALID')) return null;
    throw error;
  }
};

/** @returns why this version can't be run with these options; null if it can */
const findProblem = (plan: Plan, { trigger }: ExecutionRecord, { from }: RetryOptions): string | null => {
  const start = plan.nodes.find(({ node }) => node.id === trigger.nodeId);
  const isFired = start?.nodeType.kind === 'trigger' && start.node.disabled !== true;
  if (!isFired) return `this version has no enabled trigger "${trigger.nodeId}"`;
  if (from === null) return null;
  const target = plan.nodes.find(({ node }) => node.id === from);
  if (target === undefined) return `this version has no node "${from}"`;
  const isReached = plan.routeFrom(trigger.nodeId).incoming[target.index]?.length !== 0;
  return isReached
    ? null
    : `no connection leads from its trigger to the node "${from}", or only through the node that runs it`;
};

/** The start of a retry. */
export const toRetry = (
  { record, data, workflow, options: { from, only = null, version } }: PreparedRetry,
  { executionId, editedInput }: RetryIdentity,
  {
    ids,
    clock,
    mode,
    bulkRetryId,
  }: Pick<Ports, 'ids' | 'clock'> & { readonly mode: BackgroundMode; readonly bulkRetryId?: string },
): ExecutionStart => {
  const { executionId: retried, trigger, keepsResult, traceparent, requestId = null } = record;
  return toStart(
    { executionId, workflow, trigger, traceparent, requestId, editedInput, keepsResult },
    {
      mode,
      status: 'accepted',
      startedAt: clock.now(),
      startToken: ids.next(),
      input: data.input,
      callbackKey: createCallbackKey(ids),
      ...(version === 'recorded' && data.variables !== undefined ? { variables: data.variables } : {}),
      retryOf: {
        executionId: retried,
        fromNodeId: from,
        ...(only === 'failedItems'
          ? { only, keysOf: keyIdOf(record), timeOf: record.retryOf?.timeOf ?? record.startedAt }
          : {}),
        ...(bulkRetryId === undefined ? {} : { bulkRetryId }),
      },
      retriedCheckpoints: from === null && only === null ? null : data.checkpoints,
    },
  );
};
