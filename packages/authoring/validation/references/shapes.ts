import { isPlainObject, type JsonObject, type JsonValue, type WorkflowNode } from '@hookloom/plugin-kit';
import type { NodeType } from '@hookloom/plugin-kit/host';
import { toPattern } from '../../../../lib/workflows/definition/path-pattern.ts';
import { WEBHOOK_TRIGGER } from '../../../../lib/workflows/definition/to-path-configs.ts';
import { splitTemplate } from '../../../../lib/workflows/expressions/template.ts';

/** What is known about a value before any run; null for nothing. */
export type Shape = MapShape | ListShape | { readonly kind: 'string' | 'number' | 'boolean' } | null;

interface MapShape {
  readonly kind: 'map';
  readonly fields: ReadonlyMap<string, Shape>;
  /** Shape of the fields not listed; absent when there are no others. */
  readonly others?: Shape;
}

interface ListShape {
  readonly kind: 'list';
  readonly item: Shape;
}

/** What the expressions of one node read. */
export interface Shapes {
  readonly input: Shape;
  readonly trigger: Shape;
  nodeOutput(id: string): Shape;
}

const STRING: Shape = { kind: 'string' };
const NUMBER: Shape = { kind: 'number' };
const LIST: Shape = { kind: 'list', item: null };
const STRINGS: Shape = { kind: 'map', fields: new Map(), others: STRING };

/** The headers of a request; their names are lower case. */
export const HEADERS: Shape = { ...STRINGS };

const openMap = (fields: Readonly<Record<string, Shape>>): Shape => ({
  kind: 'map',
  fields: new Map(Object.entries(fields)),
  others: null,
});

/** Node types whose output is their input. */
const passOn = new Set(['if', 'switch', 'filter', 'noOp', 'wait', 'respondToWebhook']);

/** Output shapes of node types whose outputs always have these fields. */
const outputs: Readonly<Record<string, Shape>> = {
  forEach: openMap({ results: LIST, failures: LIST }),
  batch: openMap({ batches: LIST }),
  rss: openMap({ items: LIST }),
  compareLists: openMap({ onlyLeft: LIST, onlyRight: LIST, same: LIST, different: LIST }),
  ...Object.fromEntries(
    ['splitOut', 'sort', 'limit', 'removeDuplicates', 'summarize'].map((type) => [
      type,
      openMap({ items: LIST }),
    ]),
  ),
};

/** The output of a webhook: its request. */
const requestShape = ({ path, schema }: JsonObject): Shape => {
  const pattern = typeof path === 'string' ? toPattern(path.startsWith('/') ? path : `/${path}`) : null;
  const names = pattern === null ? [] : [...String(path).matchAll(/[:*](\w+)/g)].map(([, name = '']) => name);
  return openMap({
    body: schemaShape(schema),
    headers: HEADERS,
    queryParams: STRINGS,
    ...(pattern === null
      ? {}
      : { pathParams: { kind: 'map', fields: new Map(names.map((name) => [name, STRING])) } }),
  });
};

/** What expressions over a request read, before its trigger has run. */
export const requestShapes = (parameters: JsonObject): Shapes => {
  const request = requestShape(parameters);
  return { input: request, trigger: request, nodeOutput: () => null };
};

const MAX_DEPTH = 20;

const schemaShape = (schema: unknown, depth = 0): Shape => {
  if (!isPlainObject(schema) || depth > MAX_DEPTH) return null;
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return { kind: schema.type };
    case 'number':
    case 'integer':
      return NUMBER;
    case 'array':
      return { kind: 'list', item: schemaShape(schema.items, depth + 1) };
    case 'object': {
      const { properties } = schema;
      const entries = isPlainObject(properties) ? Object.entries(properties) : [];
      const fields = new Map(entries.map(([name, rule]) => [name, schemaShape(rule, depth + 1)]));
      return { kind: 'map', fields, others: null };
    }
    default:
      return null;
  }
};

/** Shape of a value in parameters; nothing is known about an expression. */
const valueShape = (value: JsonValue): Shape => {
  if (typeof value === 'string') {
    const parts = splitTemplate(value);
    return parts.length === 1 && parts.some((part) => 'expression' in part) ? null : STRING;
  }
  if (typeof value === 'number') return NUMBER;
  if (typeof value === 'boolean') return { kind: 'boolean' };
  if (Array.isArray(value)) return LIST;
  if (!isPlainObject(value)) return null;
  return toMap(Object.entries(value as JsonObject));
};

const toMap = (entries: readonly (readonly [string, JsonValue])[]): MapShape => ({
  kind: 'map',
  fields: new Map(entries.map(([name, value]) => [name, valueShape(value)])),
});

interface GraphNode {
  readonly index: number;
  readonly node: WorkflowNode;
  readonly nodeType: Pick<NodeType, 'kind'> | null;
  readonly isDisabled: boolean;
}

/** The parts of a `DraftGraph` that say where data comes from. */
interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly { readonly source: number; readonly output: string; readonly isBody: boolean }[];
  readonly incoming: readonly (readonly number[])[];
  readonly indexOf: ReadonlyMap<string, number>;
}

/** Finds the shapes for a node's expressions. */
export const createShapes = ({ nodes, edges, incoming, indexOf }: Graph): ((index: number) => Shapes) => {
  const known = new Map<number, Shape>();

  const outputOf = (index: number): Shape => {
    if (!known.has(index)) {
      known.set(index, null); // in a loop, nothing is known
      const node = nodes[index];
      known.set(index, node === undefined ? null : computeOutput(node));
    }
    return known.get(index) ?? null;
  };

  const inputOf = (index: number): Shape => {
    const [first, ...others] = (incoming[index] ?? []).flatMap((at) => edges[at] ?? []);
    if (first === undefined || others.length > 0 || first.isBody || first.output === 'error') return null;
    return outputOf(first.source);
  };

  const computeOutput = ({ index, node, isDisabled, nodeType }: GraphNode): Shape => {
    const { type, parameters, settings } = node;
    if (isDisabled || passOn.has(type)) return inputOf(index);
    if (settings?.onError === 'continue') return null;
    if (type === WEBHOOK_TRIGGER) return requestShape(parameters);
    if (nodeType?.kind === 'trigger') return null;
    if (type === 'set') return setOutput(parameters, () => inputOf(index));
    if (type === 'pick') return pickOutput(parameters);
    if (type === 'csv') return parameters.operation === 'parse' ? openMap({ items: LIST }) : null;
    if (type === 'postgres') return isRows(parameters) ? openMap({ rows: LIST }) : null;
    if (type === 'httpRequest') return 'pagination' in parameters ? openMap({ items: LIST }) : null;
    return Object.hasOwn(outputs, type) ? (outputs[type] ?? null) : null;
  };

  return (index) => ({
    input: inputOf(index),
    trigger: triggerShape(nodes),
    nodeOutput: (id) => {
      const at = indexOf.get(id);
      return at === undefined ? null : outputOf(at);
    },
  });
};

const isRows = ({ mode = 'rows', statements }: JsonObject): boolean =>
  mode === 'rows' && statements === undefined;

const setOutput = ({ values, keepInput = false }: JsonObject, readInput: () => Shape): Shape => {
  if (!isPlainObject(values) || typeof keepInput !== 'boolean') return null;
  const own = toMap(Object.entries(values as JsonObject));
  if (!keepInput) return own;
  const input = readInput();
  if (input?.kind !== 'map') return { ...own, others: null };
  return { ...input, fields: new Map([...input.fields, ...own.fields]) };
};

/** The fields that are kept, when their names are plain. */
const pickOutput = ({ items, fields, mode = 'keep' }: JsonObject): Shape => {
  if (items !== undefined) return openMap({ items: LIST });
  if (mode !== 'keep' || !Array.isArray(fields)) return null;
  const names = fields.filter((name) => typeof name === 'string');
  if (names.length < fields.length || names.some((name) => /[{/]/.test(name))) return null;
  return { kind: 'map', fields: new Map(names.map((name) => [name.split('.')[0] ?? name, null])) };
};

/** The trigger's shape in a workflow with a single trigger. */
const triggerShape = (nodes: readonly GraphNode[]): Shape => {
  const [first, ...others] = nodes.filter(({ nodeType }) => nodeType?.kind === 'trigger');
  return first?.node.type === WEBHOOK_TRIGGER && others.length === 0
    ? requestShape(first.node.parameters)
    : null;
};
