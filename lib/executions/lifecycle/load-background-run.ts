import type { JsonObject } from '@hookloom/plugin-kit';
import type { CheckpointJournal } from '../../engine/checkpoint-journal.ts';
import { toFailure } from '../../engine/failure.ts';
import type { NodeFailure } from '../../engine/result.ts';
import type { Steps } from '../../engine/steps.ts';
import { STORE_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError, isInfrastructureError } from '../../shared/errors.ts';
import type { Workflow } from '../../workflows/definition/definition.ts';
import type { Plan } from '../../workflows/plan/plan.ts';
import type { Ports } from '../ports.ts';
import { unpackText } from '../record/blob-store.ts';
import type { ExecutionRecord } from '../record/execution-store.ts';
import { readRefusal } from '../record/pack-result.ts';
import { journalSteps } from './journal-steps.ts';

type LoadPorts = Pick<Ports, 'executions' | 'workflows' | 'openPlan' | 'blobs' | 'logger'>;

export interface LoadedRun {
  readonly workflow: Workflow;
  readonly plan: Plan;
  /** The input of the trigger. */
  readonly input: JsonObject;
  /** Values of the variables, as at the start; absent if the workflow reads none. */
  readonly variables?: JsonObject | undefined;
  /** Key that signs the run's callback URLs; null if it has none. */
  readonly callbackKey: string | null;
  /** Starts with the checkpoints of the retried run, to which the run adds its own. */
  readonly journal: CheckpointJournal;
  /** Journals the steps of the run. */
  readonly journalSteps: (steps: Steps) => Steps;
  /** What the run was loaded from, as stored; a retry gets its own copies. */
  stored: { readonly input: string; readonly retriedCheckpoints: string | null };
  /** Whether the input names any files. */
  readonly hasFiles: boolean;
}

/** Text that occurs in the JSON of every file value. */
export const FILE = '"$file"';

/**
 * Loads what is needed to start or resume a run.
 * @returns the failure of an execution that can never run
 * @throws AppError `STORE_UNAVAILABLE`, an infrastructure error
 */
export const loadBackgroundRun = async (
  record: ExecutionRecord,
  ports: LoadPorts,
): Promise<LoadedRun | { readonly failure: NodeFailure }> => {
  const { nodeId } = record.trigger;
  try {
    return await loadRecordedRun(record, ports);
  } catch (error) {
    if (isInfrastructureError(error)) throw error;
    ports.logger.error('The execution cannot run.', { executionId: record.executionId, cause: error });
    return { failure: { nodeId, ...toFailure(error) } };
  }
};

const loadRecordedRun = async (
  { executionId, workflowId, workflowVersion, trigger, retryOf }: ExecutionRecord,
  { executions, workflows, openPlan, blobs }: LoadPorts,
): Promise<LoadedRun> => {
  const [workflow, data] = await Promise.all([
    workflows.findVersion(workflowId, workflowVersion),
    executions.findData(executionId),
  ]);
  // It was stored before the execution, so it is not visible yet, or lost. Neither is a failure of the execution.
  if (workflow === null) {
    const cause = new Error(`version ${workflowVersion} of ${workflowId} was not found`);
    throw new AppError(STORE_UNAVAILABLE, {}, cause);
  }
  const plan = await openPlan(workflow);
  plan.routeFrom(trigger.nodeId); // throws unless it is a trigger
  if (data === null || data.input === null) throw new Error('its request is no longer stored');
  const refusal = readRefusal(data.input);
  if (refusal !== null) throw Object.assign(new Error(refusal), { name: 'InvalidInput' });
  const { callbackKey, retriedCheckpoints, variables } = data;
  const text = await unpackText(data.input, blobs);
  const input = JSON.parse(text) as JsonObject;
  const stored = { input: data.input, retriedCheckpoints };
  const hasFiles = text.includes(FILE);
  const loaded = { workflow, plan, input, variables, callbackKey, stored, hasFiles };
  if (retriedCheckpoints === null) {
    const journal: CheckpointJournal = new Map();
    return { ...loaded, journal, journalSteps: (steps) => journalSteps(steps, journal) };
  }
  const { openRetried } = await import('./read-retried.chunk.ts');
  return { ...loaded, ...(await openRetried({ executionId, retriedCheckpoints, retryOf }, plan, blobs)) };
};
