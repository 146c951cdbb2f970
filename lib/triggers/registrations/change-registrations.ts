import type { JsonObject } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { WorkflowDefinition } from '../../workflows/definition/definition.ts';
import { type RegistrarParts, reconcileRegistrations, register, takeBack } from './registrar.ts';
import { resolveFormer, resolveTriggers } from './resolve-triggers.ts';

/** Variables before and after a change, by name. */
interface ValueChange {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** A workflow whose triggers read other values than before. */
interface Change {
  readonly definition: WorkflowDefinition;
  /** With the former values; null if these could not be registered. */
  readonly former: WorkflowDefinition | null;
}

/**
 * Changes variables that triggers read: registers the triggers with the new values, then stores these, then removes the
 * registrations with the former values. What a crash in between leaves behind is removed by the sweeper.
 *
 * @param definitions - the current versions of all workflows
 * @param store - returns false if the variables have changed in the meantime: then nothing is changed
 * @returns what `store` returned
 * @throws AppError `REGISTRATION_REFUSED` when a trigger can't be registered with a new value; nothing was stored
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const changeRegistrations = async (
  definitions: readonly WorkflowDefinition[],
  { before, after }: ValueChange,
  store: () => Promise<boolean>,
  findNodeType: FindNodeType,
  parts: RegistrarParts,
): Promise<boolean> => {
  const changes: { readonly former: WorkflowDefinition | null; readonly definition: WorkflowDefinition }[] =
    [];
  const isStored = await (async () => {
    for (const stored of definitions) {
      const definition = await resolveTriggers(stored, findNodeType, async () => after);
      if (definition === stored) continue; // reads no variable
      // With its former values it may have been impossible to register.
      const former = await resolveFormer(stored, findNodeType, async () => before);
      if (JSON.stringify(former) === JSON.stringify(definition)) continue;
      changes.push({ former, definition });
      await register(definition, former, findNodeType, parts);
    }
    return store();
  })().catch(async (error: unknown) => {
    await takeAllBack(changes, findNodeType, parts);
    throw error;
  });
  if (!isStored) await takeAllBack(changes, findNodeType, parts);
  else
    for (const { definition, former } of changes)
      await reconcileRegistrations(definition.id, definition, findNodeType, parts, [former]);
  return isStored;
};

const takeAllBack = async (
  changes: readonly Change[],
  findNodeType: FindNodeType,
  parts: RegistrarParts,
): Promise<void> => {
  for (const { definition, former } of changes) await takeBack(definition, former, findNodeType, parts);
};
