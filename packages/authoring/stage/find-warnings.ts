import { isPlainObject, type JsonValue, type WorkflowNode } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { ANY_HOST, hostOfUrl, isForHost } from '../../../lib/credentials/outbound/host-pattern.ts';
import type { OutboundCredential } from '../../../lib/credentials/outbound/outbound-credential.ts';
import type { OutboundPorts } from '../../../lib/credentials/outbound/ports.ts';
import { quote, quoteAll } from '../../../lib/shared/describe.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { deliveryKeys } from '../../../lib/workflows/definition/delivery-keys.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../../lib/workflows/definition/to-path-configs.ts';
import type { WorkflowStore } from '../../../lib/workflows/definition/workflow-store.ts';
import { splitTemplate } from '../../../lib/workflows/expressions/template.ts';
import { checkSubworkflows, findSubworkflowCircles } from '../validation/check-subworkflows.ts';

/** Parameters that nodes use as URLs to call; others, such as a link in a message, have different names. */
const URL_PARAMETERS = ['url', 'baseUrl', 'endpoint'];

/** Matches a URL up to the character that ends its host. */
const WHOLE_HOST = /^https?:\/\/[^/?#\\]+[/?#\\]/i;

/** A URL that a node calls with a credential. */
interface CalledUrl {
  readonly path: string;
  readonly credentialId: string;
  /** The text up to the first expression if it contains the whole host; null if the host contains an expression. */
  readonly start: string | null;
}

type Credentials = Pick<OutboundPorts, 'findType'> & {
  readonly store: {
    find(credentialId: string): Promise<Pick<OutboundCredential, 'type' | 'hosts'> | null>;
  };
};

/**
 * Finds URLs in which an expression decides where a credential is sent. Of a credential whose allowed hosts are known, only
 * those if it allows any host, and URLs outside the allowed hosts.
 */
export const findUrlWarnings = async (
  { nodes }: Pick<WorkflowDefinition, 'nodes'>,
  findNodeType: FindNodeType,
  credentials: Credentials,
): Promise<readonly Problem[]> => {
  const warnings: Problem[] = [];
  for (const url of nodes.flatMap((node, index) => findCalledUrls(node, index, findNodeType))) {
    const warning = await warnByHosts(url, credentials);
    if (warning !== null) warnings.push({ path: url.path, message: warning, severity: 'warning' });
  }
  return warnings;
};

const findCalledUrls = (node: WorkflowNode, index: number, findNodeType: FindNodeType): CalledUrl[] => {
  const { type, credentialId, parameters } = node;
  const nodeType = findNodeType(type);
  if (credentialId === undefined || nodeType?.kind !== 'action') return [];
  const { properties } = nodeType.schema;
  return URL_PARAMETERS.flatMap((name) => {
    const property = isPlainObject(properties) ? properties[name] : undefined;
    const value: JsonValue | undefined =
      parameters[name] ?? (isPlainObject(property) ? property.default : undefined);
    if (typeof value !== 'string' || value === '') return [];
    const parts = splitTemplate(value);
    const [first] = parts;
    const text = first !== undefined && 'text' in first ? first.text : '';
    const isWhole = parts.every((part) => 'text' in part) || WHOLE_HOST.test(text);
    return [{ path: `/nodes/${index}/parameters/${name}`, credentialId, start: isWhole ? text : null }];
  });
};

const warnByHosts = async (
  { start, credentialId }: CalledUrl,
  { store, findType }: Credentials,
): Promise<string | null> => {
  const credential = await store.find(credentialId);
  if (credential === null)
    return start === null
      ? `has an expression in its host: the credential ${quote(credentialId)} must name its allowed hosts, or it is sent wherever the expression leads`
      : null;
  const type = await findType(credential.type);
  if (type?.apply === undefined || type.setsUrl === true) return null;
  const { hosts } = credential;
  if (start !== null)
    return hosts === null || isForHost(hosts, start)
      ? null
      : `the node fails until this is fixed: the credential ${quote(credentialId)} is for ${quoteAll(hosts)}, not for ${quote(hostOfUrl(start) ?? start)}`;
  return hosts === null || hosts.includes(ANY_HOST)
    ? `has an expression in its host, and the credential ${quote(credentialId)} is for any host: whoever controls the value receives the secret. Name its hosts: credential hosts ${credentialId} --host NAME`
    : null;
};

/** The signature schemes that any sender can use. */
const OF_ANY_SENDER: readonly unknown[] = ['hmac', 'jwt'];

/**
 * Finds webhooks that read a delivery's key from a request whose sender is not verified: by guessing a key, any caller can
 * make the real delivery look repeated. A warning: the webhook works.
 */
export const findUnsignedDeduplication = ({ nodes }: Pick<WorkflowDefinition, 'nodes'>): Problem[] =>
  nodes.flatMap(({ type, parameters }, index): Problem[] => {
    const { deduplication, authentication = 'none', signature } = parameters;
    if (type !== WEBHOOK_TRIGGER || typeof deduplication !== 'string') return [];
    if (!Object.hasOwn(deliveryKeys, deduplication) || authentication !== 'none') return [];
    const { scheme = null } = { ...(signature as object | null) } as { readonly scheme?: unknown };
    if (scheme === deduplication || OF_ANY_SENDER.includes(scheme)) return [];
    const advice = `set the parameter signature to the scheme ${deduplication}`;
    const path = `/nodes/${index}/parameters/deduplication`;
    const message = `any caller can forge a delivery key of ${deduplication}: ${advice}`;
    return [{ path, message, severity: 'warning' }];
  });

/**
 * Finds the nodes that run a workflow missing from the store, or one that leads back to theirs. These are warnings: two
 * workflows may run each other, and one must be stored first.
 *
 * @param others - definitions stored together with it, in any order*/
export const findMissingSubworkflows = async (
  definition: WorkflowDefinition,
  workflows: Pick<WorkflowStore, 'find' | 'list'>,
  others: readonly WorkflowDefinition[] = [],
): Promise<readonly Problem[]> => {
  const known = {
    find: async (id: string) =>
      others.findLast((other) => other.id === id) ?? (await workflows.find(id))?.definition ?? null,
    listIds: async () => [...others, ...(await workflows.list())].map(({ id }) => id),
  };
  const missing = await checkSubworkflows(definition, known);
  const circles = await findSubworkflowCircles(definition, known);
  return [
    ...missing.map(({ path, message }) => ({
      path,
      message: `the node fails until this is fixed: ${message}`,
    })),
    ...circles,
  ].map(({ path, message }) => ({ path, message, severity: 'warning' }));
};
