import type { JsonObject } from '@hookloom/plugin-kit';
import type { WorkflowDefinition } from '../../workflows/definition/definition.ts';
import { type RegistrarParts, type RegistrationChange, registerAround } from './registrar.ts';
import { resolveFormer, resolveTriggers } from './resolve-triggers.ts';

/** Variables before and after a change, by name. */
interface ValueChange {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/**
 * Changes variables that triggers read: registers the triggers with the new values, then stores these, then removes the
 * registrations with the former values.
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
  parts: RegistrarParts,
): Promise<boolean> => {
  const changes: RegistrationChange[] = [];
  for (const stored of definitions) {
    const next = await resolveTriggers(stored, { ...parts, readVariables: async () => after });
    if (next === stored) continue; // reads no variable
    // With its former values it may have been impossible to register.
    const former = await resolveFormer(stored, { ...parts, readVariables: async () => before });
    if (JSON.stringify(former) !== JSON.stringify(next)) changes.push({ former, next });
  }
  return registerAround(changes, store, parts);
};
