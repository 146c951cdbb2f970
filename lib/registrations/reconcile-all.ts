import type { FindNodeType } from '../contract/node-type.ts';
import { workThrough } from '../shared/work-through.ts';
import type { WorkflowDefinition } from '../workflows/definition/definition.ts';
import type { WorkflowStore } from '../workflows/definition/workflow-store.ts';
import { type RegistrarParts, reconcileRegistrations } from './registrar.ts';

export interface ReconcileAllParts extends RegistrarParts {
  readonly workflows: Pick<WorkflowStore, 'find' | 'list'>;
  readonly loadNodeTypes: (nodeTypes?: readonly string[]) => Promise<FindNodeType>;
}

/** A command may have registered what is younger, and be about to store its workflow. */
const GRACE_MS = 600_000;

/** Workflows read side by side: one by one, 24,000 take longer than the function has. */
const CONCURRENCY = 10;

/**
 * Compares what is registered with what the workflows say, and mends it: what a crash has left, what was lost, what is of
 * workflows that are gone. A workflow that can't be mended is logged, and does not stop the others.
 *
 * @throws AppError `STORE_UNAVAILABLE` when the lists can't be read
 */
export const reconcileAll = async (parts: ReconcileAllParts): Promise<void> => {
  const { workflows, registrations, clock, logger, loadNodeTypes } = parts;
  const [all, summaries] = await Promise.all([registrations.list(), workflows.list()]);
  const stored = all.filter(({ changedAt }) => changedAt < clock.now() - GRACE_MS);
  const findNodeType = await loadNodeTypes();
  const registered = new Set(all.map(({ workflowId }) => workflowId));
  const ids = new Set([...registered, ...summaries.filter(({ enabled }) => enabled).map(({ id }) => id)]);
  await workThrough(ids, { atOnce: CONCURRENCY, mayGoOn: () => true }, async (id) => {
    try {
      const current: WorkflowDefinition | null = (await workflows.find(id))?.definition ?? null;
      await reconcileRegistrations(id, current, findNodeType, parts, stored);
    } catch (cause) {
      logger.warn('The registrations of a workflow could not be mended.', { workflowId: id, cause });
    }
  });
};
