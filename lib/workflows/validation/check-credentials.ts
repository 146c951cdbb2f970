import type { WorkflowNode } from '../../contract/node.ts';
import type { FindNodeType } from '../../contract/node-type.ts';
import { didYouMean, quote } from '../../shared/describe.ts';
import { findNearest } from '../../shared/near-name.ts';
import type { WorkflowDefinition } from '../definition/definition.ts';
import type { Problem } from '../definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../definition/to-path-configs.ts';

/** The credentials in the same store. */
interface KnownCredentials {
  /** The type; null when there is no such credential. */
  findType(credentialId: string): Promise<string | null>;
  listIds(): Promise<readonly string[]>;
}

/** Checks that the credentials of all nodes exist in the store and are of a type that their node takes. */
export const checkCredentials = async (
  { nodes }: Pick<WorkflowDefinition, 'nodes'>,
  findNodeType: FindNodeType,
  { findType, listIds }: KnownCredentials,
): Promise<Problem[]> => {
  const types = new Map<string, string | null>();
  const problems: Problem[] = [];
  for (const [index, node] of nodes.entries()) {
    const { credentialId } = node;
    if (credentialId === undefined) continue;
    if (!types.has(credentialId)) types.set(credentialId, await findType(credentialId));
    const type = types.get(credentialId) ?? null;
    const path = `/nodes/${index}/credentialId`;
    const taken = credentialTypesOf(node, findNodeType);
    if (type === null) {
      const near = findNearest(credentialId, await listIds());
      problems.push({ path, message: `there is no credential ${quote(credentialId)}${didYouMean(near)}` });
    } else if (!taken.includes(type)) {
      const message = `the credential ${quote(credentialId)} is of the type ${type}, and the node takes ${taken.join(', ')}`;
      problems.push({ path, message });
    }
  }
  return problems;
};

/** The types of credential that a node takes; a webhook takes the one that its authentication names. */
export const credentialTypesOf = (
  { type, parameters }: WorkflowNode,
  findNodeType: FindNodeType,
): readonly string[] => {
  const { authentication } = parameters;
  if (type === WEBHOOK_TRIGGER && typeof authentication === 'string') return [authentication];
  const nodeType = findNodeType(type);
  return nodeType?.credentialTypesFor?.(parameters) ?? nodeType?.credentialTypes ?? [];
};
