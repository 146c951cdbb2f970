import type { WorkflowNode } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { findCredentialUses } from './credential-uses.ts';
import type { WorkflowDefinition } from './definition.ts';
import { findVariables } from './find-variables.ts';

// Finds what uses something that is about to be removed. Disabled nodes and workflows count: they can be enabled.

export interface UsingNode {
  readonly workflowId: string;
  readonly nodeId: string;
}

export const findUsersOfCredential = (
  credentialId: string,
  definitions: readonly WorkflowDefinition[],
  findNodeType: FindNodeType,
): UsingNode[] =>
  definitions.flatMap(({ id, nodes }) =>
    nodes
      .filter((node) =>
        findCredentialUses(node, findNodeType).some((use) => use.credentialId === credentialId),
      )
      .map((node) => ({ workflowId: id, nodeId: node.id })),
  );

/** The workflows that a node runs, or on whose failures it fires. */
export const findUsedWorkflows = ({ type, parameters }: WorkflowNode): readonly string[] => {
  const { workflowId, workflows } = parameters;
  const named = type === 'subworkflow' ? [workflowId] : type === 'errorTrigger' ? workflows : [];
  return Array.isArray(named) ? named.filter((id) => typeof id === 'string') : [];
};

/** The nodes of other workflows that run a workflow or fire on its failures. */
export const findUsersOfWorkflow = (
  workflowId: string,
  definitions: readonly WorkflowDefinition[],
): string[] =>
  definitions.flatMap(({ id, nodes }) =>
    nodes
      .filter((node) => id !== workflowId && findUsedWorkflows(node).includes(workflowId))
      .map((node) => describeUser({ workflowId: id, nodeId: node.id })),
  );

/** The nodes whose expressions read a variable, or may: they compute its name. */
export const findUsersOfVariable = (name: string, definitions: readonly WorkflowDefinition[]): string[] =>
  definitions.flatMap(({ id, nodes }) =>
    nodes
      .filter(({ parameters }) => {
        const read = findVariables(parameters);
        return read === 'all' || read.includes(name);
      })
      .map((node) => describeUser({ workflowId: id, nodeId: node.id })),
  );

export const findUsersOfNodeTypes = (
  nodeTypes: readonly string[],
  definitions: readonly WorkflowDefinition[],
): string[] =>
  definitions.flatMap(({ id, nodes }) =>
    nodes
      .filter(({ type }) => nodeTypes.includes(type))
      .map((node) => describeUser({ workflowId: id, nodeId: node.id })),
  );

/** A node in messages: `orders: the node "call"`. */
export const describeUser = ({ workflowId, nodeId }: UsingNode): string =>
  `${workflowId}: the node "${nodeId}"`;
