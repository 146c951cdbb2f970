import { checkSubworkflows, findSubworkflowCircles } from '../../authoring/validation/check-subworkflows.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import type { WorkflowStore } from '../../lib/workflows/definition/workflow-store.ts';

/**
 * Finds the nodes that run a workflow missing from the store, or one that leads back to theirs. These are warnings: two
 * workflows may run each other, and one must be stored first.
 *
 * @param others - definitions stored together with it, in any order
 * @returns one line for each: `/nodes/1/parameters/workflowId …`
 */
export const findMissingSubworkflows = async (
  definition: WorkflowDefinition,
  workflows: Pick<WorkflowStore, 'find' | 'list'>,
  others: readonly WorkflowDefinition[] = [],
): Promise<string[]> => {
  const known = {
    find: async (id: string) =>
      others.findLast((other) => other.id === id) ?? (await workflows.find(id))?.definition ?? null,
    listIds: async () => [...others, ...(await workflows.list())].map(({ id }) => id),
  };
  const missing = await checkSubworkflows(definition, known);
  const circles = await findSubworkflowCircles(definition, known);
  return [
    ...missing.map(({ path, message }) => `${path} the node fails until this is fixed: ${message}`),
    ...circles.map(({ path, message }) => `${path} ${message}`),
  ];
};
