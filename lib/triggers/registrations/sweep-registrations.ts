import { lazy } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { workThrough } from '../../shared/work-through.ts';
import type { StoredDefinition, WorkflowStore } from '../../workflows/definition/workflow-store.ts';
import { isAsWanted, type RegistrarParts, reconcileRegistrations, unregister } from './registrar.ts';
import type { StoredRegistration } from './registration-store.ts';
import { resolveFormer, resolveTriggers } from './resolve-triggers.ts';

export interface ReconcileAllParts extends Omit<RegistrarParts, 'findNodeType'> {
  readonly workflows: Pick<WorkflowStore, 'find' | 'readPage'>;
  readonly loadNodeTypes: (nodeTypes?: readonly string[]) => Promise<FindNodeType>;
}

/** What a sweep has seen of a workflow. */
export interface SweptWorkflow {
  readonly stored: StoredDefinition;
  /** Its registrations, before the sweep. */
  readonly registrations: readonly StoredRegistration[];
}

/** Sees what a sweep reads, so that it need not be read again. */
export interface SweepObserver {
  readonly see: (swept: SweptWorkflow, findNodeType: FindNodeType) => void;
  /** A workflow whose triggers can't be registered, and why. */
  readonly seeRefusal: (workflowId: string, cause: unknown) => void;
}

/** A command may have made younger registrations and be about to store their workflow. */
const GRACE_MS = 600_000;

/** How many workflows are reconciled concurrently. */
const WORKFLOWS_AT_ONCE = 10;

/**
 * Compares the registrations with the workflows and reconciles them: leftovers of a crash, lost registrations, and
 * those of workflows that no longer exist. If nothing is wrong, it only reads pages. A workflow that can't be
 * reconciled is logged and does not stop the others.
 *
 * @param hasTime - whether there is time for another workflow; the next sweep starts with different ones
 * @param observer - sees each workflow of the pages, and what can't be registered
 * @throws AppError `STORE_UNAVAILABLE` when the lists can't be read
 */
export const reconcileAll = async (
  { loadNodeTypes, ...given }: ReconcileAllParts,
  hasTime: () => boolean = () => true,
  observer: SweepObserver | null = null,
): Promise<void> => {
  const findNodeType = await loadNodeTypes();
  const parts = { ...given, findNodeType, readVariables: lazy(given.readVariables) };
  const { workflows, registrations, clock, logger } = parts;
  const registered = Map.groupBy(await registrations.list(), ({ workflowId }) => workflowId);
  const isSettled = ({ changedAt }: { readonly changedAt: number }) => changedAt < clock.now() - GRACE_MS;
  const wrong: string[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof workflows.readPage>> = await workflows.readPage(after);
    for (const stored of page.workflows) {
      const { id } = stored.definition;
      const known = registered.get(id) ?? [];
      registered.delete(id);
      observer?.see({ stored, registrations: known }, findNodeType);
      // What can't be resolved is wrong: the second attempt says why.
      const definition = await resolveFormer(stored.definition, parts);
      if (definition === null || !isAsWanted(definition, known, findNodeType, isSettled)) wrong.push(id);
    }
    after = page.next;
  } while (after !== null);
  for (const [id, stored] of registered) if (stored.some(isSettled)) wrong.push(id);
  await workThrough(
    fromTurn(wrong, clock.now()),
    { atOnce: WORKFLOWS_AT_ONCE, mayGoOn: hasTime },
    async (id) => {
      try {
        // Read again, since the page may be older than the registrations.
        const stored = (await workflows.find(id))?.definition ?? null;
        const current = stored === null ? null : await resolveTriggers(stored, parts);
        await reconcileRegistrations(id, current, parts, [], isSettled);
      } catch (cause) {
        observer?.seeRefusal(id, cause);
        logger.warn('The registrations of a workflow could not be reconciled.', { workflowId: id, cause });
      }
    },
  );
};

const TURN_MS = 900_000;

/** Rotates the start with each sweep, so that workflows that can't be reconciled do not starve the others. */
const fromTurn = (ids: readonly string[], now: number): readonly string[] => {
  const start = ids.length === 0 ? 0 : (Math.floor(now / TURN_MS) * 97) % ids.length;
  return [...ids.slice(start), ...ids.slice(0, start)];
};

/** Concurrent calls: Lambda allows an account some ten such calls per second. */
const CALLS_AT_ONCE = 5;

/**
 * Removes the registrations of all workflows but keeps the workflows: a sweep would register them again. A registration
 * that can't be removed does not stop the others. Repeats until none is left, to catch registrations added in the
 * meantime, or until a pass removes nothing.
 *
 * @param signal - no further removal starts once it is aborted
 * @throws Error with the number of remaining registrations and the reason for one
 * @throws AppError `STORE_UNAVAILABLE` when the list can't be read
 */
export const unregisterAll = async (
  { loadNodeTypes, ...given }: ReconcileAllParts,
  signal: AbortSignal,
): Promise<void> => {
  const parts = { ...given, findNodeType: await loadNodeTypes() };
  const options = { atOnce: CALLS_AT_ONCE, mayGoOn: () => !signal.aborted };
  for (;;) {
    const failures: unknown[] = [];
    const all = await parts.registrations.list();
    await workThrough(all, options, async (stored) => {
      try {
        await unregister(stored, parts);
      } catch (cause) {
        failures.push(cause);
        const { workflowId, triggerNodeId, name: registration } = stored;
        const fields = { workflowId, triggerNodeId, registration, cause };
        parts.logger.warn('The trigger could not be unregistered.', fields);
      }
    });
    signal.throwIfAborted();
    if (all.length === 0) return;
    if (failures.length < all.length) continue;
    const [cause] = failures;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Triggers still registered: ${all.length}. ${reason}`, { cause });
  }
};
