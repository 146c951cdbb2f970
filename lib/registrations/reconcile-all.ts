import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { workThrough } from '../shared/work-through.ts';
import type { WorkflowStore } from '../workflows/definition/workflow-store.ts';
import { isAsWanted, type RegistrarParts, reconcileRegistrations } from './registrar.ts';

export interface ReconcileAllParts extends RegistrarParts {
  readonly workflows: Pick<WorkflowStore, 'find' | 'readPage'>;
  readonly loadNodeTypes: (nodeTypes?: readonly string[]) => Promise<FindNodeType>;
}

/** A command may have registered what is younger, and be about to store its workflow. */
const GRACE_MS = 600_000;

/** Workflows mended side by side. */
const CONCURRENCY = 10;

/**
 * Compares what is registered with what the workflows say, and mends it: what a crash has left, what was lost, what is of
 * workflows that are gone. As long as nothing is wrong, it reads pages alone. A workflow that can't be mended is logged, and does
 * not stop the others.
 *
 * @param hasTime - whether another workflow may be mended; the next sweep begins with others
 * @throws AppError `STORE_UNAVAILABLE` when the lists can't be read
 */
export const reconcileAll = async (
  parts: ReconcileAllParts,
  hasTime: () => boolean = () => true,
): Promise<void> => {
  const { workflows, registrations, clock, logger, loadNodeTypes } = parts;
  const findNodeType = await loadNodeTypes();
  const registered = Map.groupBy(await registrations.list(), ({ workflowId }) => workflowId);
  const isSettled = ({ changedAt }: { readonly changedAt: number }) => changedAt < clock.now() - GRACE_MS;
  const wrong: string[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof workflows.readPage>> = await workflows.readPage(after);
    for (const definition of page.definitions) {
      const stored = registered.get(definition.id) ?? [];
      registered.delete(definition.id);
      if (!isAsWanted(definition, stored, findNodeType, isSettled)) wrong.push(definition.id);
    }
    after = page.next;
  } while (after !== null);
  for (const [id, stored] of registered) if (stored.some(isSettled)) wrong.push(id);
  await workThrough(fromTurn(wrong, clock.now()), { atOnce: CONCURRENCY, mayGoOn: hasTime }, async (id) => {
    try {
      // Read again, since the page may be older than what is registered.
      const current = (await workflows.find(id))?.definition ?? null;
      await reconcileRegistrations(id, current, findNodeType, parts, [], isSettled);
    } catch (cause) {
      logger.warn('The registrations of a workflow could not be mended.', { workflowId: id, cause });
    }
  });
};

const TURN_MS = 900_000;

/** From another one on at each sweep: those that can't be mended keep none of the others waiting. */
const fromTurn = (ids: readonly string[], now: number): readonly string[] => {
  const start = ids.length === 0 ? 0 : (Math.floor(now / TURN_MS) * 97) % ids.length;
  return [...ids.slice(start), ...ids.slice(0, start)];
};
