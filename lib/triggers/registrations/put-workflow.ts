import { WORKFLOW_CHANGED, WORKFLOWS_LEFT_STORED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { WorkflowDefinition } from '../../workflows/definition/definition.ts';
import { toPublished } from '../../workflows/definition/to-path-configs.ts';
import type { PutOptions, VersionNote, WorkflowStore } from '../../workflows/definition/workflow-store.ts';
import {
  type RegistrarParts,
  type RegistrationChange,
  reconcileRegistrations,
  registerAround,
} from './registrar.ts';
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
 * Makes definitions the current versions, all or none, and registers their triggers: see {@link registerAround}.
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
  parts: PutParts,
  note: Partial<VersionNote> = {},
): Promise<readonly Stored[]> => {
  const formers: (WorkflowDefinition | null)[] = [];
  const changes: RegistrationChange[] = [];
  for (const { definition, replaces } of puts) {
    const current = await parts.workflows.find(definition.id);
    if (replaces !== undefined && replaces !== (current?.version ?? null))
      throw new AppError(WORKFLOW_CHANGED, { workflowId: definition.id });
    const former = current?.definition ?? null;
    formers.push(former);
    const next = await resolveTriggers(definition, parts);
    changes.push({ former: await resolveFormer(former, parts), next });
  }
  const storeAll = async (): Promise<readonly Stored[]> => {
    const stored: Stored[] = [];
    try {
      for (const { definition, replaces } of puts)
        stored.push(await storeDefinition(definition, parts, { ...note, replaces }));
      return stored;
    } catch (error) {
      const left = await putBack(puts, formers, stored, parts);
      throw left.length === 0 ? error : new AppError(WORKFLOWS_LEFT_STORED, { workflowIds: left }, error);
    }
  };
  return registerAround(changes, storeAll, parts);
};

const storeDefinition = (
  definition: WorkflowDefinition,
  { workflows, findNodeType }: PutParts,
  options: PutOptions,
): Promise<Stored> => workflows.put(definition, toPublished(definition, findNodeType), options);

/**
 * Restores the former definitions, as new versions: versions never change.
 *
 * @param formers - what each replaces; null if it is new
 * @param stored - the outcome of the first of them; the others are not stored
 * @returns the ids of those that could not be restored
 */
const putBack = async (
  puts: readonly WorkflowPut[],
  formers: readonly (WorkflowDefinition | null)[],
  stored: readonly Stored[],
  parts: PutParts,
): Promise<readonly string[]> => {
  const left: string[] = [];
  for (const [index, { definition }] of puts.entries()) {
    const { changed = false, version } = stored[index] ?? {};
    if (!changed) continue;
    try {
      const former = formers[index] ?? null;
      if (former === null) await parts.workflows.remove(definition.id, version);
      else await storeDefinition(former, parts, { replaces: version });
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
  parts: PutParts,
  { replaces, ...note }: PutOptions = {},
): Promise<Stored> => {
  const [stored] = await putWorkflows([{ definition, replaces }], parts, note);
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
  parts: PutParts,
  replaces?: number,
): Promise<boolean> => {
  const current = await parts.workflows.find(workflowId);
  const former = await resolveFormer(current?.definition ?? null, parts);
  const removed = await parts.workflows.remove(workflowId, replaces);
  await reconcileRegistrations(workflowId, null, parts, [former]);
  return removed;
};
