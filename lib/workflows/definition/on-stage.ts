import type { JsonObject } from '@hookloom/plugin-kit';
import type { Workflow, WorkflowDefinition } from './definition.ts';
import { findVariablesOf } from './find-variables.ts';
import type { WorkflowReader } from './workflow-store.ts';

/** What workflows see of the stage that they run on. */
interface Stage {
  readonly stage: string;
  /**
   * Reads the values of all variables, by name. Called only for workflows that read any.
   *
   * @throws AppError `STORE_UNAVAILABLE`
   */
  readonly readVariables: () => Promise<JsonObject>;
}

/**
 * Reads workflows to start their executions, with the name of the stage, and the values of the variables that they
 * read: an execution sees these values for its whole life. Versions, which runs continue with, have only the name.
 */
export const onStage = (reader: WorkflowReader, { stage, readVariables }: Stage): WorkflowReader => ({
  ...reader,
  find: async (workflowId) => {
    const found = await reader.find(workflowId);
    return found === null ? null : placeOnStage(found, { stage, readVariables });
  },
  findVersion: async (workflowId, version) => {
    const found = await reader.findVersion(workflowId, version);
    return found === null ? null : { ...found, stage };
  },
});

/** {@link onStage} for a workflow that is read already. @throws AppError `STORE_UNAVAILABLE` */
export const placeOnStage = async <Found extends Workflow>(
  workflow: Found,
  { stage, readVariables }: Stage,
): Promise<Found> => {
  const variables = await selectVariables(workflow.definition, readVariables);
  return { ...workflow, stage, ...(variables === null ? {} : { variables }) };
};

/** @returns null if the workflow reads none, or none that the stage has */
const selectVariables = async (
  definition: WorkflowDefinition,
  readVariables: Stage['readVariables'],
): Promise<JsonObject | null> => {
  const names = findVariablesOf(definition);
  if (names.length === 0) return null;
  const all = Object.entries(await readVariables());
  const selected = names === 'all' ? all : all.filter(([name]) => names.includes(name));
  return selected.length === 0 ? null : Object.fromEntries(selected);
};
