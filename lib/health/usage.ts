import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { findCredentialUses } from '../workflows/definition/credential-uses.ts';
import type { WorkflowDefinition } from '../workflows/definition/definition.ts';

/** A node that uses a credential. */
export interface CredentialUse {
  readonly workflowId: string;
  readonly nodeType: string;
  /** The credential types that the node accepts; null if no loaded plugin has the node's type. */
  readonly takes: readonly string[] | null;
}

/** What can run: the enabled nodes of enabled workflows. */
export interface Usage {
  readonly nodeTypes: ReadonlySet<string>;
  /** The uses by credential id. */
  readonly credentials: ReadonlyMap<string, readonly CredentialUse[]>;
}

export const findUsage = (definitions: readonly WorkflowDefinition[], findNodeType: FindNodeType): Usage => {
  const nodeTypes = new Set<string>();
  const credentials = new Map<string, CredentialUse[]>();
  for (const { id: workflowId, enabled, nodes } of definitions) {
    if (!enabled) continue;
    for (const node of nodes) {
      if (node.disabled === true) continue;
      nodeTypes.add(node.type);
      const isKnown = findNodeType(node.type) !== null;
      for (const { credentialId, takes } of findCredentialUses(node, findNodeType)) {
        const use = { workflowId, nodeType: node.type, takes: isKnown ? takes : null };
        credentials.set(credentialId, [...(credentials.get(credentialId) ?? []), use]);
      }
    }
  }
  return { nodeTypes, credentials };
};
