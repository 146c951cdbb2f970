import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';

/** Workflows of a stage with their own metrics: each has up to six, and each metric is billed. */
const MAX_WITH_METRICS = 20;

/**
 * Checks whether too many workflows of the stage would have their own metrics; disabled ones count, since they can be enabled.
 *
 * @param definitions - the workflows to put
 * @param listStored - called only when one of them asks for metrics
 * @returns null when there is no problem
 */
export const findMetricsProblem = async (
  definitions: readonly WorkflowDefinition[],
  listStored: () => Promise<{ readonly definitions: readonly WorkflowDefinition[] }>,
): Promise<string | null> => {
  if (!definitions.some(hasMetrics)) return null;
  const { definitions: stored } = await listStored();
  const current = new Map([...stored, ...definitions].map((definition) => [definition.id, definition]));
  const ids = [...current.values()].filter(hasMetrics).map(({ id }) => id);
  if (ids.length <= MAX_WITH_METRICS) return null;
  const known = stored
    .filter(hasMetrics)
    .map(({ id }) => id)
    .sort();
  return `${ids.length} workflows would have settings.metrics; at most ${MAX_WITH_METRICS} may: ${known.join(', ')} already do`;
};

const hasMetrics = ({ settings }: WorkflowDefinition): boolean => settings?.metrics === true;
