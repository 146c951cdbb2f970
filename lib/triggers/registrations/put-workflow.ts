import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { WORKFLOW_CHANGED, WORKFLOWS_LEFT_STORED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { WorkflowDefinition } from '../../workflows/definition/definition.ts';
import { resolveExecution } from '../../workflows/definition/resolve-execution.ts';
import { toPathConfigs } from '../../workflows/definition/to-path-configs.ts';
import type { PutOptions, VersionNote, WorkflowStore } from '../../workflows/definition/workflow-store.ts';
import { type RegistrarParts, reconcileRegistrations, register, takeBack } from './registrar.ts';
import { resolveFormer, resolveTriggers } from './resolve-triggers.ts';

interface PutParts extends RegistrarParts {
  readonly workflows: WorkflowStore;
}

interface Stored {
  readonly version: number;
  readonly changed: boolean;
}

/** A validated definition to store. */
export interface WorkflowPut extends Pick<PutOptions, 'replaces'> {
  readonly definition: WorkflowDefinition;
}

/**
 * Makes definitions the current versions, all or none, and registers their triggers: new registrations are
 * added before the first definition is stored, and surplus ones removed after the last. The next `put` or the sweeper
 * removes what a crash in between leaves behind.
 *
 * @returns the outcome of each, in the same order
 * @throws AppError `REGISTRATION_REFUSED` when a trigger can't be registered; nothing was stored
 * @throws AppError `WORKFLOW_CHANGED` when a version other than `replaces` is current
 * @throws AppError `WORKFLOW_TOO_LARGE` when a definition does not fit into an item of the store
 * @throws AppError `STORE_UNAVAILABLE` when the store is unavailable or throttling
 * @throws AppError `WORKFLOWS_LEFT_STORED` when a definition can't be stored, and those before it can't be rolled back
 */
export const putWorkflows = async (
  puts: readonly WorkflowPut[],
  findNodeType: FindNodeType,
  parts: PutParts,
  note: Partial<VersionNote> = {},
): Promise<readonly Stored[]> => {
  const changes: Change[] = [];
  const stored: Stored[] = [];
  try {
    for (const { definition, replaces } of puts) {
      const current = await parts.workflows.find(definition.id);
      if (replaces !== undefined && replaces !== (current?.version ?? null))
        throw new AppError(WORKFLOW_CHANGED, { workflowId: definition.id });
      const former = current?.definition ?? null;
      const resolved = await resolveTriggers(definition, findNodeType, parts.readVariables);
      const change = {
        ...{ definition, former, resolved },
        resolvedFormer: await resolveFormer(former, findNodeType, parts.readVariables),
      };
      changes.push(change);
      await register(resolved, change.resolvedFormer, findNodeType, parts);
    }
    for (const { definition, replaces } of puts)
      stored.push(await store(definition, findNodeType, parts, { ...note, replaces }));
  } catch (error) {
    const left = await putBack(changes, stored, findNodeType, parts);
    for (const { resolved, resolvedFormer } of changes)
      if (!left.includes(resolved.id)) await takeBack(resolved, resolvedFormer, findNodeType, parts);
    throw left.length === 0 ? error : new AppError(WORKFLOWS_LEFT_STORED, { workflowIds: left }, error);
  }
  for (const { resolved, resolvedFormer } of changes)
    await reconcileRegistrations(resolved.id, resolved, findNodeType, parts, [resolvedFormer]);
  return stored;
};

interface Change {
  readonly definition: WorkflowDefinition;
  /** The definition that the workflow replaces; null if it is new. */
  readonly former: WorkflowDefinition | null;
  /** Both as they are registered: see `resolveTriggers`. */
  readonly resolved: WorkflowDefinition;
  readonly resolvedFormer: WorkflowDefinition | null;
}

const store = (
  definition: WorkflowDefinition,
  findNodeType: FindNodeType,
  { workflows }: PutParts,
  options: PutOptions,
): Promise<Stored> =>
  workflows.put(definition, toPathConfigs(definition, resolveExecution(definition, findNodeType)), options);

/**
 * Restores the former definitions, as new versions: versions never change.
 *
 * @param stored - the outcome of the first of the changes; the others are not stored
 * @returns the ids of those that could not be restored
 */
const putBack = async (
  changes: readonly Change[],
  stored: readonly Stored[],
  findNodeType: FindNodeType,
  parts: PutParts,
): Promise<readonly string[]> => {
  const left: string[] = [];
  for (const [index, { definition, former }] of changes.entries()) {
    const { changed = false, version } = stored[index] ?? {};
    if (!changed) continue;
    try {
      if (former === null) await parts.workflows.remove(definition.id, version);
      else await store(former, findNodeType, parts, { replaces: version });
    } catch (cause) {
      parts.logger.warn('The workflow could not be rolled back.', { workflowId: definition.id, cause });
      left.push(definition.id);
    }
  }
  return left;
};

/** {@link putWorkflows} for a single definition. @throws like it */
export const putWorkflow = async (
  definition: WorkflowDefinition,
  findNodeType: FindNodeType,
  parts: PutParts,
  { replaces, ...note }: PutOptions = {},
): Promise<Stored> => {
  const [stored] = await putWorkflows([{ definition, replaces }], findNodeType, parts, note);
  return stored as Stored;
};

/**
 * Removes a workflow, then its registrations.
 *
 * @param replaces - the version that must be current; any if absent
 * @returns false if there was none
 * @throws AppError `WORKFLOW_CHANGED` when a version other than `replaces` is current
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const removeWorkflow = async (
  workflowId: string,
  findNodeType: FindNodeType,
  parts: PutParts,
  replaces?: number,
): Promise<boolean> => {
  const current = await parts.workflows.find(workflowId);
  const former = await resolveFormer(current?.definition ?? null, findNodeType, parts.readVariables);
  const removed = await parts.workflows.remove(workflowId, replaces);
  await reconcileRegistrations(workflowId, null, findNodeType, parts, [former]);
  return removed;
};
