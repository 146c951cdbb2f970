import { isPlainObject, type WorkflowNode } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { WEBHOOK_TRIGGER } from './to-path-configs.ts';

/** Types of the credentials that verify senders. */
export const SENDER_CREDENTIAL_TYPES: readonly string[] = ['signingSecret'];

interface CredentialUse {
  /** JSON Pointer to the credential's id, within the node. */
  readonly path: string;
  readonly credentialId: string;
  /** What uses the credential, for messages: `node`, or a feature of its webhook. */
  readonly taker: string;
  /** Types of credentials that the node accepts. */
  readonly takes: readonly string[];
}

/** The credentials that a node names, including those of its webhook's features. */
export const findCredentialUses = (node: WorkflowNode, findNodeType: FindNodeType): CredentialUse[] => {
  const { credentialId } = node;
  const own =
    credentialId === undefined
      ? []
      : [{ path: '/credentialId', credentialId, taker: 'node', takes: typesFor(node, findNodeType) }];
  return node.type === WEBHOOK_TRIGGER ? [...own, ...findFeatureUses(node)] : own;
};

/** A feature that verifies the sender names its credential in the field `credentialId`. */
const findFeatureUses = ({ parameters }: WorkflowNode): CredentialUse[] =>
  Object.entries(parameters).flatMap(([name, value]) => {
    const { credentialId = null } = isPlainObject(value) ? value : {};
    return typeof credentialId === 'string'
      ? [
          {
            path: `/parameters/${name}/credentialId`,
            credentialId,
            taker: name,
            takes: SENDER_CREDENTIAL_TYPES,
          },
        ]
      : [];
  });

/** The credential type that the webhook's authentication requires. */
const typesFor = ({ type, parameters }: WorkflowNode, findNodeType: FindNodeType): readonly string[] => {
  const { authentication } = parameters;
  if (type === WEBHOOK_TRIGGER && typeof authentication === 'string') return [authentication];
  const nodeType = findNodeType(type);
  return nodeType?.credentialTypesFor?.(parameters) ?? nodeType?.credentialTypes ?? [];
};
