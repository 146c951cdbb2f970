import { isPlainObject, type WorkflowNode } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { WEBHOOK_FEATURES } from '../definition/path-config.ts';
import { WEBHOOK_TRIGGER } from '../definition/to-path-configs.ts';
import { webhookRules } from './webhook-rules.ts';

/** A credential that a node names. */
interface CredentialUse {
  /** JSON pointer within the node. */
  readonly path: string;
  readonly credentialId: string;
  /** What takes it, for messages: `node`, or a feature of its webhook. */
  readonly taker: string;
  /** The types that are taken. */
  readonly takes: readonly string[];
}

/** The credential of a node, and those that the features of its webhook name. */
export const findCredentialUses = (node: WorkflowNode, findNodeType: FindNodeType): CredentialUse[] => {
  const { credentialId } = node;
  const own =
    credentialId === undefined
      ? []
      : [{ path: '/credentialId', credentialId, taker: 'node', takes: typesFor(node, findNodeType) }];
  return node.type === WEBHOOK_TRIGGER ? [...own, ...findRuleUses(node)] : own;
};

const findRuleUses = ({ parameters }: WorkflowNode): CredentialUse[] =>
  WEBHOOK_FEATURES.flatMap((name) => {
    const { credentialTypes: takes } = webhookRules[name];
    const { credentialId = null } = isPlainObject(parameters[name]) ? parameters[name] : {};
    return takes === undefined || typeof credentialId !== 'string'
      ? []
      : [{ path: `/parameters/${name}/credentialId`, credentialId, taker: name, takes }];
  });

/** A webhook takes the type that its authentication names. */
const typesFor = ({ type, parameters }: WorkflowNode, findNodeType: FindNodeType): readonly string[] => {
  const { authentication } = parameters;
  if (type === WEBHOOK_TRIGGER && typeof authentication === 'string') return [authentication];
  const nodeType = findNodeType(type);
  return nodeType?.credentialTypesFor?.(parameters) ?? nodeType?.credentialTypes ?? [];
};
