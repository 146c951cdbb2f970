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

/** @param isUser - whether a node of this workflow uses it */
const findUsers = (
  definitions: readonly WorkflowDefinition[],
  isUser: (node: WorkflowNode, workflowId: string) => boolean,
): UsingNode[] =>
  definitions.flatMap(({ id, nodes }) =>
    nodes.filter((node) => isUser(node, id)).map((node) => ({ workflowId: id, nodeId: node.id })),
  );

export const findUsersOfCredential = (
  credentialId: string,
  definitions: readonly WorkflowDefinition[],
  findNodeType: FindNodeType,
): UsingNode[] =>
  findUsers(definitions, (node) =>
    findCredentialUses(node, findNodeType).some((use) => use.credentialId === credentialId),
  );

/** Triggers with a list of the workflows that fire them. */
const FIRED_BY_OTHERS: ReadonlySet<string> = new Set(['errorTrigger', 'noticeTrigger']);

/** The workflows that a node runs, or on whose failures or notices it fires. */
export const findUsedWorkflows = ({ type, parameters }: WorkflowNode): readonly string[] => {
  const { workflowId, workflows } = parameters;
  const named = type === 'subworkflow' ? [workflowId] : FIRED_BY_OTHERS.has(type) ? workflows : [];
  return Array.isArray(named) ? named.filter((id) => typeof id === 'string') : [];
};

/** The nodes of other workflows that run a workflow or fire on its failures. */
export const findUsersOfWorkflow = (
  workflowId: string,
  definitions: readonly WorkflowDefinition[],
): string[] =>
  findUsers(definitions, (node, id) => id !== workflowId && findUsedWorkflows(node).includes(workflowId)).map(
    describeUser,
  );

/** The nodes whose expressions read a variable, or may: they compute its name. */
export const findUsersOfVariable = (name: string, definitions: readonly WorkflowDefinition[]): string[] =>
  findUsers(definitions, ({ parameters }) => {
    const read = findVariables(parameters);
    return read === 'all' || read.includes(name);
  }).map(describeUser);

export const findUsersOfNodeTypes = (
  nodeTypes: readonly string[],
  definitions: readonly WorkflowDefinition[],
): string[] => findUsers(definitions, ({ type }) => nodeTypes.includes(type)).map(describeUser);

/** A node in messages: `orders: the node "call"`. */
export const describeUser = ({ workflowId, nodeId }: UsingNode): string =>
  `${workflowId}: the node "${nodeId}"`;
