import type { JsonObject } from '@hookloom/plugin-kit';
import type { Answer } from '../../../api/routes.ts';
import type { DrawnWorkflow } from '../../../parts/graph/graph-layout.ts';
import type { DefinitionNode } from '../../workflow/definition.ts';

/** Data by the name of the output. */
export type Outputs = Readonly<Record<string, JsonObject>>;

export interface TrialRun
  extends Pick<
    Answer<'POST /api/admin/workflows/try'>,
    'failure' | 'attempts' | 'durationMs' | 'log' | 'logOmitted'
  > {
  readonly status: string;
}

/** What a node emitted, and where that comes from. */
export interface NodeData {
  /** An `evaluation` is made as one types, and stored nowhere; a node that was not run, such as a disabled one, passes its input on. */
  readonly from: 'execution' | 'request' | 'example' | 'typed' | 'trial' | 'evaluation' | 'passedOn';
  /** Id of the execution, trial or request; of other data, a name that no other data of the node has. */
  readonly id: string;
  /** When it was made, in ISO 8601; null for an example. */
  readonly at: string | null;
  readonly outputs: Outputs;
  /** Whether it is kept until someone unpins it: a run does not replace it. */
  readonly isPinned: boolean;
  /** Whether there is more data than the outputs have. */
  readonly isCut: boolean;
  /** Null of data that no run made. */
  readonly run: TrialRun | null;
  /** The state of the node and of what is before it, when the data was made; see `findStamps`. */
  readonly stamp: string;
  /** The same for what its body begins with; absent without a body. */
  readonly bodyStamp?: string;
}

/** Data of the nodes of a draft, by node id. */
export type DraftData = Readonly<Record<string, NodeData>>;

export type NewData = Omit<NodeData, 'stamp' | 'bodyStamp'>;

/** A workflow while it is edited: it may be invalid. */
export interface DraftDefinition extends DrawnWorkflow {
  readonly id?: unknown;
  readonly nodes: readonly DefinitionNode[];
}

export type DraftConnection = NonNullable<DraftDefinition['connections']>[number];

interface Body {
  readonly output: string;
  readonly nodes: readonly DefinitionNode[];
}

/** What the reference says of a node type. */
export type DeclaredType = Partial<Answer<'GET /api/admin/node-types/{nodeType}'>>;

/** By the name of the type; those that have not arrived, or don't exist, are missing. */
export type DeclaredTypes = ReadonlyMap<string, DeclaredType>;

/** A definition with its connections by their ends. */
export interface DraftGraph {
  readonly definition: DraftDefinition;
  /** The body of each node that has one: the output that leads to it, and its nodes. */
  readonly bodies: ReadonlyMap<string, Body>;
  readonly nodes: ReadonlyMap<string, DefinitionNode>;
  readonly into: ReadonlyMap<string, readonly DraftConnection[]>;
  readonly outOf: ReadonlyMap<string, readonly DraftConnection[]>;
}

export const toGraph = (definition: DraftDefinition, types: DeclaredTypes): DraftGraph => {
  const { nodes, connections = [] } = definition;
  const graph = {
    definition,
    nodes: new Map(nodes.map((node) => [node.id, node])),
    into: Map.groupBy(connections, ({ targetNodeId }) => targetNodeId),
    outOf: Map.groupBy(connections, ({ sourceNodeId }) => sourceNodeId),
  };
  const bodies = nodes.flatMap(({ id, type }) => {
    const output = types.get(type)?.control?.bodyOutput ?? null;
    return output === null ? [] : [[id, { output, nodes: findBody(graph, id, output) }] as const];
  });
  return { ...graph, bodies: new Map(bodies) };
};

const findBody = (
  { nodes, outOf }: Pick<DraftGraph, 'nodes' | 'outOf'>,
  ownerId: string,
  output: string,
): readonly DefinitionNode[] => {
  const found = new Set<string>();
  const reached = (outOf.get(ownerId) ?? [])
    .filter(({ sourceOutput = 'main' }) => sourceOutput === output)
    .map(({ targetNodeId }) => targetNodeId);
  for (const id of reached) {
    if (id === ownerId || found.has(id)) continue;
    found.add(id);
    for (const { targetNodeId } of outOf.get(id) ?? []) reached.push(targetNodeId);
  }
  return [...found].flatMap((id) => nodes.get(id) ?? []);
};

/** Ids of the nodes that lead to a node. */
export const findBefore = ({ into }: Pick<DraftGraph, 'into'>, id: string): ReadonlySet<string> => {
  const before = new Set<string>();
  const reached = [id];
  for (const target of reached) {
    for (const { sourceNodeId } of into.get(target) ?? []) {
      if (sourceNodeId === id || before.has(sourceNodeId)) continue;
      before.add(sourceNodeId);
      reached.push(sourceNodeId);
    }
  }
  return before;
};

/** The data on `main`, or on the first output if there is no `main`: what `$nodes` has. */
export const mainOf = (outputs: Outputs): JsonObject => outputs.main ?? Object.values(outputs)[0] ?? {};

/** What a node receives from the nodes before it, of which later ones win; null if nothing reaches it. */
export const findInput = ({ into }: DraftGraph, data: DraftData, id: string): JsonObject | null => {
  const delivered = (into.get(id) ?? []).flatMap(({ sourceNodeId, sourceOutput = 'main' }) => {
    const outputs = outputsOf(data, sourceNodeId);
    return Object.hasOwn(outputs, sourceOutput) ? [outputs[sourceOutput] as JsonObject] : [];
  });
  return delivered.length === 0
    ? null
    : Object.fromEntries(delivered.flatMap((each) => Object.entries(each)));
};

/** The nodes in whose bodies a node is, the innermost one first, with the outputs that lead there. */
export const findOwners = ({ bodies }: Pick<DraftGraph, 'bodies'>, id: string) =>
  [...bodies]
    .filter(([, { nodes }]) => nodes.some((node) => node.id === id))
    .sort(([, one], [, other]) => one.nodes.length - other.nodes.length)
    .map(([nodeId, { output }]) => ({ nodeId, output }));

/** What a node reads of another one as `$nodes`: of one in whose body it is, what the body begins with. */
export const findRead = (graph: DraftGraph, data: DraftData, id: string, other: string): JsonObject => {
  const outputs = outputsOf(data, other);
  const owner = findOwners(graph, id).find(({ nodeId }) => nodeId === other);
  return (owner === undefined ? undefined : outputs[owner.output]) ?? mainOf(outputs);
};

const NO_OUTPUTS: Outputs = {};

export const dataOf = (data: DraftData, id: string): NodeData | undefined =>
  Object.hasOwn(data, id) ? data[id] : undefined;

export const outputsOf = (data: DraftData, id: string): Outputs => dataOf(data, id)?.outputs ?? NO_OUTPUTS;

/** Whether the page makes the data again, so that it need not be kept. */
export const isDerived = ({ from, isPinned }: NodeData): boolean =>
  !isPinned && (from === 'evaluation' || from === 'passedOn');
