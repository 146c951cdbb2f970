import { isPlainObject, type JsonObject, type JsonValue, MAIN_OUTPUT } from '@hookloom/plugin-kit';
import { branchesOf, isUnknown, resolveOutput, schemaOfOutput } from '@hookloom/plugin-kit/host';
import { quote, quoteAll } from '../../../../lib/shared/describe.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { findReads } from '../../../../lib/workflows/expressions/find-reads.ts';
import { splitTemplate } from '../../../../lib/workflows/expressions/template.ts';
import {
  type DraftEdge,
  type DraftGraph,
  deliveringOutputs,
  edgesFrom,
  edgesTo,
} from '../graph/draft-graph.ts';
import { toName } from '../references/names.ts';
import type { WorkflowTypes } from '../types/infer-workflow.ts';
import { objectOf } from '../types/types.ts';

/** Which node made each field of what is delivered; null if that is not known. */
type Origins = ReadonlyMap<string, string | null>;

/** Connections to one node that are compared with each other. */
const MAX_EDGES = 20;

/**
 * Finds fields that several nodes deliver to one and of which the last connection's wins, if anything reads them. Nodes on
 * branches that exclude each other, and fields that come from the same node on several ways, don't clash.
 */
export const checkClashes = async (
  graph: DraftGraph,
  types: WorkflowTypes,
  loopNodes: ReadonlySet<number>,
): Promise<Problem[]> => {
  const joins = graph.nodes.filter(({ index, isDisabled, nodeType }) => {
    const edges = edgesTo(graph, index);
    const isMerged = edges.every(({ input }) => input === MAIN_OUTPUT) && edges.length <= MAX_EDGES;
    return edges.length > 1 && isMerged && nodeType !== null && !isDisabled && !loopNodes.has(index);
  });
  const merging = joins.filter(
    ({ node }) => node.type !== 'merge' || (node.parameters.mode ?? 'merge') === 'merge',
  );
  if (merging.length === 0) return [];
  const origins = findOrigins(graph, types);
  const isExclusive = findExclusion(graph);
  const readers = await findReaders(graph);
  return merging.flatMap(({ index, node }) => {
    const clashes = findClashes(edgesTo(graph, index), origins, isExclusive);
    const read = [...clashes].filter(([key]) => isRead(key, { graph, index, origins, readers }));
    const [first] = read;
    if (first === undefined) return [];
    const [key, [one, other]] = first;
    const [lost, kept] = [graph.nodes[one.source]?.node.id ?? '', graph.nodes[other.source]?.node.id ?? ''];
    const keys = quoteAll(read.filter(([, [a, b]]) => a === one && b === other).map(([name]) => name));
    const message = `${quote(lost)} and ${quote(kept)} both deliver ${keys} to ${quote(node.id)}, which gets what ${quote(kept)} delivers: read $nodes.${toName(lost)}.${toName(key)}, or join them with a merge in the mode "byNode"`;
    return [{ path: `/nodes/${index}`, message, severity: 'warning' as const }];
  });
};

const madeHere = (index: number): string => String(index);
/** The origin of a field that several nodes have delivered to one. */
const joinedAt = (index: number, key: string): string => `${index}#${key}`;

interface AllOrigins {
  inputOf(index: number): Origins;
  outputOf(index: number, output: string): Origins;
}

const findOrigins = (graph: DraftGraph, types: WorkflowTypes): AllOrigins => {
  const known = new Map<string, Origins>();
  const once = (key: string, compute: () => Origins): Origins => {
    const found = known.get(key);
    if (found !== undefined) return found;
    known.set(key, new Map()); // in a loop, nothing is known
    const result = compute();
    known.set(key, result);
    return result;
  };
  const inputOf = (index: number): Origins =>
    once(`${index}`, () => {
      const all = edgesTo(graph, index).map(({ source, output }) => outputOf(source, output));
      const keys = new Set(all.flatMap((origins) => [...origins.keys()]));
      return new Map(
        [...keys].map((key) => {
          const own = new Set(all.flatMap((origins) => origins.get(key) ?? (origins.has(key) ? [null] : [])));
          const [first = null, ...others] = own;
          return [key, others.length === 0 ? first : own.has(null) ? null : joinedAt(index, key)];
        }),
      );
    });
  const outputOf = (index: number, output: string): Origins =>
    once(`${index}/${output}`, () => {
      const draft = graph.nodes[index];
      if (draft === undefined || draft.nodeType === null) return new Map();
      const { node, nodeType, isDisabled } = draft;
      if (isDisabled) return inputOf(index);
      const declared = schemaOf(() => schemaOfOutput(nodeType.outputs, node.parameters, output));
      const keys = fieldsOf(types.outputOf(index, output));
      if (!JSON.stringify(declared).includes('"#input'))
        return new Map(keys.map((key) => [key, madeHere(index)]));
      const input = inputOf(index);
      const resolved = schemaOf(() =>
        resolveOutput(declared, {
          stored: node.parameters,
          input: objectOf(Object.fromEntries([...input].map(([key, origin]) => [key, { origin }]))),
          inputs: {},
          parameters: shapeOf(node.parameters, madeHere(index)),
          body: {},
        }),
      );
      const fields = (isPlainObject(resolved.properties) ? resolved.properties : {}) as Readonly<
        Record<string, JsonObject>
      >;
      return new Map(
        keys.map((key) => {
          const { origin, ...schema } = fields[key] ?? {};
          if (typeof origin === 'string') return [key, origin];
          return [key, isUnknown(schema) && input.has(key) ? null : madeHere(index)];
        }),
      );
    });
  return { inputOf, outputOf };
};

const schemaOf = (compute: () => JsonObject): JsonObject => {
  try {
    return compute();
  } catch {
    return {}; // of a plugin
  }
};

/** The fields that each alternative of a type has. */
const fieldsOf = (type: JsonObject): readonly string[] => {
  const [first = [], ...others] = branchesOf(type).map(({ properties }) =>
    isPlainObject(properties) ? Object.keys(properties) : [],
  );
  return first.filter((key) => others.every((keys) => keys.includes(key)));
};

const shapeOf = (value: JsonValue, origin: string): JsonObject =>
  isPlainObject(value)
    ? objectOf(
        Object.fromEntries(
          Object.entries(value as JsonObject).map(([key, item]) => [key, shapeOf(item, origin)]),
        ),
      )
    : { origin };

type IsExclusive = (one: DraftEdge, other: DraftEdge) => boolean;

const START = -1;

/** Finds connections of which never both deliver: each is behind another output of the same node, or behind another trigger. */
const findExclusion = (graph: DraftGraph): IsExclusive => {
  /** The output that a node has delivered on whenever another one runs; null while it is computed. */
  const known = new Map<number, ReadonlyMap<number, string> | null>();
  const chosenFor = (index: number): ReadonlyMap<number, string> | null => {
    if (known.has(index)) return known.get(index) ?? null;
    known.set(index, null);
    const edges = edgesTo(graph, index);
    const [first = new Map([[START, String(index)]]), ...others] = edges.flatMap(
      (edge) => chosenBy(edge) ?? [],
    );
    const result = new Map(
      [...first].filter(([node, output]) => others.every((one) => one.get(node) === output)),
    );
    known.set(index, result);
    return result;
  };
  const chosenBy = ({ source, output }: DraftEdge): ReadonlyMap<number, string> | null => {
    const before = chosenFor(source);
    const node = graph.nodes[source];
    const names = node === undefined ? null : deliveringOutputs(node);
    return before === null || names?.size === 1 ? before : new Map([...before, [source, output]]);
  };
  return (one, other) => {
    const [a, b] = [chosenBy(one), chosenBy(other)];
    return a === null || b === null || [...a].some(([node, output]) => (b.get(node) ?? output) !== output);
  };
};

type Pair = readonly [lost: DraftEdge, kept: DraftEdge];

const findClashes = (
  edges: readonly DraftEdge[],
  { outputOf }: AllOrigins,
  isExclusive: IsExclusive,
): ReadonlyMap<string, Pair> => {
  const clashes = new Map<string, Pair>();
  for (const [at, other] of edges.entries()) {
    const late = outputOf(other.source, other.output);
    for (const one of edges.slice(0, at)) {
      if (one.source === other.source) continue;
      const keys = [...outputOf(one.source, one.output)].filter(([key, origin]) => {
        const own = late.get(key) ?? null;
        return origin !== null && own !== null && own !== origin && !clashes.has(key);
      });
      if (keys.length === 0 || isExclusive(one, other)) continue;
      for (const [key] of keys) clashes.set(key, [one, other]);
    }
  }
  return clashes;
};

/** What a node reads of its input, and of nodes by their ids; null for the whole. */
interface Reader {
  readonly index: number;
  readonly input: readonly (string | null)[];
  readonly nodes: readonly (readonly [id: string, key: string | null])[];
}

/** The node types that pass on or return their whole input, unless they have a parameter. */
const WHOLE: Readonly<Record<string, string>> = { code: '', respondToWebhook: 'body', subworkflow: 'input' };

const findReaders = (graph: DraftGraph): Promise<readonly Reader[]> =>
  Promise.all(
    graph.nodes.map(async ({ index, node, nodeType, isDisabled }) => {
      const none = { index, input: [], nodes: [] };
      if (isDisabled || nodeType === null) return none;
      const whole = WHOLE[node.type];
      const isWhole = whole !== undefined && node.parameters[whole] === undefined;
      const isLast = node.type === 'merge' && edgesFrom(graph, index).length === 0;
      const texts = expressionsIn(node.parameters);
      const reads = (await Promise.all(texts.map((text) => findReads(text).catch(() => null)))).flatMap(
        (found) => found?.reads ?? [],
      );
      return {
        index,
        input: [
          ...(isWhole || isLast ? [null] : []),
          ...reads.flatMap(({ root, names }) => (root === 'input' ? [names[0] ?? null] : [])),
        ],
        nodes: reads.flatMap(({ root, names: [id, key] }) =>
          root === 'nodes' && id !== undefined ? [[id, key ?? null] as const] : [],
        ),
      };
    }),
  );

const expressionsIn = (value: JsonValue): string[] => {
  if (typeof value === 'string')
    return value.includes('{{')
      ? splitTemplate(value).flatMap((part) => ('expression' in part ? [part.expression.trim()] : []))
      : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(expressionsIn) : [];
};

interface Search {
  readonly graph: DraftGraph;
  readonly index: number;
  readonly origins: AllOrigins;
  readonly readers: readonly Reader[];
}

const isRead = (key: string, { graph, index, origins, readers }: Search): boolean => {
  const origin = joinedAt(index, key);
  const reads = (name: string | null): boolean => name === null || name === key;
  return readers.some(
    ({ index: at, input, nodes }) =>
      (input.some(reads) && origins.inputOf(at).get(key) === origin) ||
      nodes.some(([id, name]) => {
        const source = graph.indexOf.get(id);
        return (
          source !== undefined && reads(name) && origins.outputOf(source, MAIN_OUTPUT).get(key) === origin
        );
      }),
  );
};
