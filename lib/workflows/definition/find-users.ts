import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { findCredentialUses } from './credential-uses.ts';
import type { WorkflowDefinition } from './definition.ts';

// Finds what uses something that is about to be removed. Disabled nodes and workflows count: they can be enabled.

/** The nodes that name a credential: `orders: the node "call"`. */
export const findUsersOfCredential = (
  credentialId: string,
  definitions: readonly WorkflowDefinition[],
  findNodeType: FindNodeType,
): string[] =>
  definitions.flatMap(({ id, nodes }) =>
    nodes
      .filter((node) =>
        findCredentialUses(node, findNodeType).some((use) => use.credentialId === credentialId),
      )
      .map((node) => describeNode(id, node.id)),
  );

/** The nodes of other workflows that run a workflow or fire on its failures. */
export const findUsersOfWorkflow = (
  workflowId: string,
  definitions: readonly WorkflowDefinition[],
): string[] =>
  definitions.flatMap(({ id, nodes }) =>
    nodes
      .filter(({ type, parameters }) => {
        if (id === workflowId) return false;
        if (type === 'subworkflow') return parameters.workflowId === workflowId;
        const { workflows } = parameters;
        return type === 'errorTrigger' && Array.isArray(workflows) && workflows.includes(workflowId);
      })
      .map((node) => describeNode(id, node.id)),
  );

const describeNode = (workflowId: string, nodeId: string): string => `${workflowId}: the node "${nodeId}"`;
