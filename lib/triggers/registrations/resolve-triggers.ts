import type { JsonObject, WorkflowNode } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { REGISTRATION_REFUSED } from '../../shared/error-catalogue.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import type { WorkflowDefinition } from '../../workflows/definition/definition.ts';
import { findVariables } from '../../workflows/definition/find-variables.ts';
import { compileParameters } from '../../workflows/expressions/parameters.ts';
import { findRegisteringSource } from './registration.ts';

/** The names and values of the stage's variables. Called only for triggers that read any. */
export type ReadVariables = () => Promise<JsonObject>;

interface ResolveParts {
  readonly findNodeType: FindNodeType;
  readonly readVariables: ReadVariables;
}

/**
 * Resolves the expressions in the parameters of a trigger that registers, which read `$vars` alone.
 *
 * @returns the same node if it has none
 * @throws AppError `REGISTRATION_REFUSED` for an expression that fails, or a value that the trigger's type refuses
 */
export const resolveTrigger = async (
  node: WorkflowNode,
  workflowId: string,
  { findNodeType, readVariables }: ResolveParts,
): Promise<WorkflowNode> => {
  if (findVariables(node.parameters).length === 0) return node;
  if (findRegisteringSource(node.type, findNodeType) === null) return node;
  const refuse = (path: string | null, reason: string, cause?: unknown) =>
    new AppError(REGISTRATION_REFUSED, { workflowId, triggerNodeId: node.id, path, reason }, cause);
  const nodeType = findNodeType(node.type);
  const parameters = await resolveParameters(node, nodeType?.schema, await readVariables()).catch(
    (error: unknown) => {
      throw refuse(null, error instanceof Error ? error.message : String(error), error);
    },
  );
  const [problem] = (await nodeType?.checkParameters?.(parameters)) ?? [];
  if (problem !== undefined) throw refuse(problem.path, problem.message);
  return { ...node, parameters };
};

const resolveParameters = async (
  { parameters }: WorkflowNode,
  schema: JsonObject | undefined,
  variables: JsonObject,
): Promise<JsonObject> => {
  const resolveIn = compileParameters(parameters, schema === undefined ? {} : { schema });
  return resolveIn === null ? parameters : resolveIn({ ...NO_RUN, variables });
};

/** The scope outside of executions. */
const NO_RUN = {
  input: {},
  nodes: {},
  trigger: {},
  execution: {
    executionId: '',
    workflowId: '',
    workflowVersion: 0,
    trigger: { nodeId: '', type: '' },
    startedAt: '1970-01-01T00:00:00.000Z',
    stage: '',
  },
  seed: '',
};

/** {@link resolveTrigger} for all triggers of a workflow. @throws like it */
export const resolveTriggers = async (
  definition: WorkflowDefinition,
  parts: ResolveParts,
): Promise<WorkflowDefinition> => {
  const { id, nodes } = definition;
  const resolved = await Promise.all(nodes.map((node) => resolveTrigger(node, id, parts)));
  return resolved.some((node, at) => node !== nodes[at]) ? { ...definition, nodes: resolved } : definition;
};

/** {@link resolveTriggers} for a definition that was stored; null if it can't be resolved any more, or there is none. */
export const resolveFormer = async (
  definition: WorkflowDefinition | null,
  parts: ResolveParts,
): Promise<WorkflowDefinition | null> => {
  if (definition === null) return null;
  try {
    return await resolveTriggers(definition, parts);
  } catch (error) {
    if (isAppError(error, 'REGISTRATION_REFUSED')) return null;
    throw error;
  }
};
