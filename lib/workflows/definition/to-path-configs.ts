import { isPlainObject, type JsonObject, type WorkflowNode } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { BackgroundMode, WorkflowDefinition } from './definition.ts';
import type { Authentication, PathConfig, ResponseMode, WebhookFeatures } from './path-config.ts';
import { compareSpecificity, findPatternProblem, toPattern } from './path-pattern.ts';
import { resolveExecution } from './resolve-execution.ts';
import { readResponses } from './responses.ts';

/** The node type that an HTTP request fires. */
export const WEBHOOK_TRIGGER = 'webhookTrigger';

/** The webhooks of a valid workflow with what its nodes decide for them, so that no request has to. */
export const toPublished = (definition: WorkflowDefinition, findNodeType: FindNodeType): PathConfig[] => {
  const { isEarly } = readResponses(definition, (index) => findNodeType(definition.nodes[index]?.type ?? ''));
  const nodes = definition.nodes.map((node, index) =>
    isEarly(index) ? { ...node, parameters: { ...node.parameters, continueAfterResponse: true } } : node,
  );
  return toPathConfigs({ ...definition, nodes }, resolveExecution(definition, findNodeType));
};

/**
 * The webhooks of a valid workflow, one for each enabled webhook trigger and method. Literal paths come first, then
 * patterns, most specific first: a request fires the first one that matches.
 * @param execution - see `resolveExecution`
 */
export const toPathConfigs = (
  { nodes, settings }: Pick<WorkflowDefinition, 'nodes' | 'settings'>,
  execution: BackgroundMode = settings?.execution ?? 'durable',
): PathConfig[] =>
  nodes
    .filter(({ type, disabled }) => type === WEBHOOK_TRIGGER && disabled !== true)
    .flatMap((node) => readMethods(node.parameters).map((method) => toPathConfig(node, method, execution)))
    .sort(byPattern);

const byPattern = (a: PathConfig, b: PathConfig): number =>
  a.pattern === undefined || b.pattern === undefined
    ? Number(a.pattern !== undefined) - Number(b.pattern !== undefined)
    : compareSpecificity(a.pattern, b.pattern);

const readMethods = ({ method, methods }: JsonObject = {}): string[] => {
  const named = (Array.isArray(methods) ? methods : [method]).filter((name) => typeof name === 'string');
  return named.length === 0 ? ['POST'] : named.map((name) => name.toUpperCase());
};

const toPathConfig = (
  { id, parameters, credentialId }: WorkflowNode,
  method: string,
  execution: BackgroundMode,
): PathConfig => ({
  ...readPath(parameters),
  method,
  authentication: readText(parameters, 'authentication', 'none') as Authentication,
  credentialId: credentialId ?? null,
  responseMode: readText(parameters, 'responseMode', 'onReceived') as ResponseMode,
  triggerNodeId: id,
  execution,
  deduplication: readText(parameters, 'deduplication', '') || null,
  features: readFeatures(parameters),
  handshakeMethod: readHandshakeMethod(parameters),
});

const readPath = (parameters: JsonObject | undefined): Pick<PathConfig, 'path' | 'pattern'> => {
  const path = normalisePath(readText(parameters, 'path', '/webhook'));
  const pattern = toPattern(path);
  return pattern === null ? { path } : { path, pattern };
};

/** The parameters that every webhook has; all others are features. */
const COMMON = ['path', 'method', 'methods', 'authentication', 'responseMode', 'deduplication'];

const readFeatures = (parameters: JsonObject = {}): WebhookFeatures | null => {
  const given = Object.entries(parameters).filter(
    ([name, value]) => !COMMON.includes(name) && (value ?? false) !== false,
  );
  return given.length === 0 ? null : Object.fromEntries(given);
};

/** Methods of handshakes other than those of deliveries. */
const HANDSHAKE_METHODS: JsonObject = { meta: 'GET', x: 'GET', cloudEvents: 'OPTIONS' };

const readHandshakeMethod = ({ handshake }: JsonObject = {}): string | null => {
  const { scheme, method } = isPlainObject(handshake) ? handshake : {};
  const own = HANDSHAKE_METHODS[scheme as string] ?? method;
  return typeof own === 'string' ? own : null;
};

const readText = (parameters: JsonObject | undefined, name: string, initial: string): string => {
  const value = parameters?.[name];
  return typeof value === 'string' ? value : initial;
};

/** Adds the leading slash, which is optional in a workflow. */
const normalisePath = (path: string): string => (path.startsWith('/') ? path : `/${path}`);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it matches
const FORBIDDEN_IN_PATH = /[%?#\\\u0000-\u001f\u007f]/;

/**
 * What is wrong with a path, or null. `%`, `?` and `#` are refused, since the gateway decodes a path before it is
 * matched.
 */
export const findPathProblem = (path: string): string | null => {
  const normal = normalisePath(path);
  if (FORBIDDEN_IN_PATH.test(normal))
    return 'contains a character that is not allowed in a path: % ? # \\ or a control character';
  if (normal === '/') return null;
  const segments = normal.slice(1).split('/');
  if (segments.includes('')) return 'has an empty segment';
  if (segments.some((segment) => segment === '.' || segment === '..')) return 'has the segment . or ..';
  return normal.includes('{{') ? null : findPatternProblem(normal); // reported as an expression
};
