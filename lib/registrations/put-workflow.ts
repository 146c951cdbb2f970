import type { FindNodeType } from '../contract/node-type.ts';
import type { WorkflowDefinition } from '../workflows/definition/definition.ts';
import { resolveExecution } from '../workflows/definition/resolve-execution.ts';
import { toPathConfigs } from '../workflows/definition/to-path-configs.ts';
import type { WorkflowStore } from '../workflows/definition/workflow-store.ts';
import { type RegistrarParts, reconcileRegistrations, register, takeBack } from './registrar.ts';

interface PutParts extends RegistrarParts {
  readonly workflows: WorkflowStore;
}

/**
 * Makes a checked definition the current version, and its triggers fire: what is new is registered before it is stored,
 * what is gone is taken back after. A crash in between leaves too much, which the next `put` or the sweeper takes back.
 *
 * @param replaces - the version that it was made from; absent: any
 * @throws AppError `REGISTRATION_REFUSED` when a trigger can't be registered; nothing was stored
 * @throws AppError `WORKFLOW_CHANGED` when another version than `replaces` is current
 * @throws AppError `WORKFLOW_TOO_LARGE` when it does not fit into an item of the store
 * @throws AppError `STORE_UNAVAILABLE` when the store does not answer or is throttling
 */
export const putWorkflow = async (
  definition: WorkflowDefinition,
  findNodeType: FindNodeType,
  parts: PutParts,
  replaces?: number,
): Promise<{ readonly version: number; readonly changed: boolean }> => {
  const former = (await parts.workflows.find(definition.id))?.definition ?? null;
  await register(definition, former, findNodeType, parts);
  const pathConfigs = toPathConfigs(definition, resolveExecution(definition, findNodeType));
  const stored = await parts.workflows.put(definition, pathConfigs, replaces).catch(async (error) => {
    await takeBack(definition, former, findNodeType, parts);
    throw error;
  });
  await reconcileRegistrations(definition.id, definition, findNodeType, parts);
  return stored;
};

/**
 * Removes a workflow, then takes back what is registered for it.
 *
 * @returns false when there was none
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const removeWorkflow = async (
  workflowId: string,
  findNodeType: FindNodeType,
  parts: PutParts,
): Promise<boolean> => {
  const removed = await parts.workflows.remove(workflowId);
  await reconcileRegistrations(workflowId, null, findNodeType, parts);
  return removed;
};
