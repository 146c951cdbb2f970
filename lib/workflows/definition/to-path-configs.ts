import { isPlainObject, type JsonObject } from '../../contract/json.ts';
import type { WorkflowNode } from '../../contract/node.ts';
import type { BackgroundMode, WorkflowDefinition } from './definition.ts';
import {
  type Authentication,
  type PathConfig,
  type ResponseMode,
  WEBHOOK_FEATURES,
  type WebhookFeatures,
} from './path-config.ts';

/** The node type that an HTTP request fires. */
export const WEBHOOK_TRIGGER = 'webhookTrigger';

/** The webhooks of a valid workflow: one for each enabled webhook trigger. @param execution - see `resolveExecution` */
export const toPathConfigs = (
  { nodes, settings }: Pick<WorkflowDefinition, 'nodes' | 'settings'>,
  execution: BackgroundMode = settings?.execution ?? 'durable',
): PathConfig[] =>
  nodes
    .filter(({ type, disabled }) => type === WEBHOOK_TRIGGER && disabled !== true)
    .map((node) => toPathConfig(node, execution));

const toPathConfig = (
  { id, parameters, credentialId }: WorkflowNode,
  execution: BackgroundMode,
): PathConfig => ({
  path: normalisePath(readText(parameters, 'path', '/webhook')),
  method: readText(parameters, 'method', 'POST').toUpperCase(),
  authentication: readText(parameters, 'authentication', 'none') as Authentication,
  credentialId: credentialId ?? null,
  responseMode: readText(parameters, 'responseMode', 'onReceived') as ResponseMode,
  triggerNodeId: id,
  execution,
  deduplication: readText(parameters, 'deduplication', '') || null,
  features: readFeatures(parameters),
  handshakeMethod: readHandshakeMethod(parameters),
});

const readFeatures = (parameters: JsonObject = {}): WebhookFeatures | null => {
  const given = WEBHOOK_FEATURES.filter((name) => (parameters[name] ?? false) !== false);
  return given.length === 0 ? null : Object.fromEntries(given.map((name) => [name, parameters[name]]));
};

/** The method of the sender's handshakes: of Meta and X another than that of deliveries. */
const readHandshakeMethod = ({ handshake }: JsonObject = {}): string | null => {
  const { scheme, method } = isPlainObject(handshake) ? handshake : {};
  if (scheme === 'meta' || scheme === 'x') return 'GET';
  return typeof method === 'string' ? method : null;
};

const readText = (parameters: JsonObject | undefined, name: string, initial: string): string => {
  const value = parameters?.[name];
  return typeof value === 'string' ? value : initial;
};

/** Adds the leading slash, which is optional in a workflow. */
const normalisePath = (path: string): string => (path.startsWith('/') ? path : `/${path}`);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it matches
const FORBIDDEN_IN_PATH = /[%?#\\\u0000-\u001f\u007f]/;

/** Problem of a path, or null. `%`, `?` and `#` are refused, since the gateway decodes a path before it is matched. */
export const findPathProblem = (path: string): string | null => {
  const normal = normalisePath(path);
  if (FORBIDDEN_IN_PATH.test(normal))
    return 'holds a character that a path may not hold: % ? # \\ or a control character';
  if (normal === '/') return null;
  const segments = normal.slice(1).split('/');
  if (segments.includes('')) return 'has an empty segment';
  return segments.some((segment) => segment === '.' || segment === '..') ? 'has the segment . or ..' : null;
};
