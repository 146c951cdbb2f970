import { isPlainObject } from '../../contract/json.ts';
import type { WorkflowNode } from '../../contract/node.ts';
import type { FindNodeType } from '../../contract/node-type.ts';
import { didYouMean, quote } from '../../shared/describe.ts';
import { findNearest } from '../../shared/near-name.ts';
import type { WorkflowDefinition } from '../definition/definition.ts';
import { WEBHOOK_FEATURES } from '../definition/path-config.ts';
import type { Problem } from '../definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../definition/to-path-configs.ts';

import { webhookRules } from '../webhook-rules/webhook-rules.ts';

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
  const uses = nodes.flatMap((node, index) => [
    ...findNodeUses(node, `/nodes/${index}`, findNodeType),
    ...findRuleUses(node, `/nodes/${index}/parameters`),
  ]);
  for (const { path, credentialId, taker, taken } of uses) {
    if (!types.has(credentialId)) types.set(credentialId, await findType(credentialId));
    const type = types.get(credentialId) ?? null;
    if (type === null) {
      const near = findNearest(credentialId, await listIds());
      problems.push({ path, message: `there is no credential ${quote(credentialId)}${didYouMean(near)}` });
    } else if (!taken.includes(type)) {
      const message = `the credential ${quote(credentialId)} is of the type ${type}, and ${taker} takes ${taken.join(', ')}`;
      problems.push({ path, message });
    }
  }
  return problems;
};

/** A credential that a workflow names. */
interface Use {
  readonly path: string;
  readonly credentialId: string;
  /** For messages. */
  readonly taker: string;
  /** The types that are taken. */
  readonly taken: readonly string[];
}

const findNodeUses = (node: WorkflowNode, place: string, findNodeType: FindNodeType): Use[] => {
  const { credentialId } = node;
  if (credentialId === undefined) return [];
  const taken = credentialTypesOf(node, findNodeType);
  return [{ path: `${place}/credentialId`, credentialId, taker: 'the node', taken }];
};

/** The credentials that the features of a webhook name. */
const findRuleUses = ({ type, parameters }: WorkflowNode, place: string): Use[] =>
  type !== WEBHOOK_TRIGGER
    ? []
    : WEBHOOK_FEATURES.flatMap((name) => {
        const { credentialTypes: taken = [] } = webhookRules[name];
        const rule = parameters[name];
        if (taken.length === 0 || !isPlainObject(rule) || typeof rule.credentialId !== 'string') return [];
        const path = `${place}/${name}/credentialId`;
        return [{ path, credentialId: rule.credentialId, taker: `the ${name}`, taken }];
      });

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
