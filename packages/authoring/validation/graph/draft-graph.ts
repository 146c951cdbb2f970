import {
  ERROR_OUTPUT,
  isPlainObject,
  type JsonObject,
  MAIN_OUTPUT,
  type WorkflowNode,
} from '@hookloom/plugin-kit';
import { type FindNodeType, type NodeType, namesOfOutputs } from '@hookloom/plugin-kit/host';
import type { Connection, WorkflowDefinition } from '../../../../lib/workflows/definition/definition.ts';
import { reachFrom } from '../../../../lib/workflows/definition/reach.ts';
import { type Responses, readResponses } from '../../../../lib/workflows/definition/responses.ts';
import { MAX_NODES } from '../../../../lib/workflows/definition/schema.ts';

export { reachFrom } from '../../../../lib/workflows/definition/reach.ts';

/** The readable parts of a workflow file of any shape. */
interface Draft {
  /** The workflow with defaults filled in, without `$schema`; for a file of the right shape, the definition itself. */
  readonly definition: WorkflowDefinition;
  /** JSON Pointers to values of a wrong shape, which placeholders replace: further checks skip them. */
  readonly madeUp: readonly string[];
}

/** Placeholder for an id or a type of a wrong shape. The schema allows no such id, so it never matches a real one. */
export const NAMELESS = '\u0000';

/** Reads a file leniently, so that a mistake in one place does not hide those in other places. */
export const readDraft = (file: Record<string, unknown>): Draft => {
  const madeUp: string[] = [];
  const makeUp = <Value>(place: string, value: Value): Value => {
    madeUp.push(place);
    return value;
  };
  const text = (value: unknown, place: string): string =>
    typeof value === 'string' ? value : makeUp(place, NAMELESS);
  const map = (value: unknown, place: string): Record<string, unknown> =>
    isPlainObject(value) ? value : makeUp(place, {});

  const toNode = (value: unknown, index: number): WorkflowNode => {
    const place = `/nodes/${index}`;
    const node = map(value, place);
    const isConfigured = node.parameters === undefined || isPlainObject(node.parameters);
    if (!isConfigured) madeUp.push(`${place}/credentialId`); // which credentials a node takes depends on its parameters
    return {
      ...node,
      id: text(node.id, `${place}/id`),
      type: text(node.type, `${place}/type`),
      parameters: node.parameters === undefined ? {} : map(node.parameters, `${place}/parameters`),
    } as WorkflowNode;
  };
  const toConnection = (value: unknown, index: number): Connection => {
    const place = `/connections/${index}`;
    const connection = map(value, place);
    return {
      ...connection,
      sourceNodeId: text(connection.sourceNodeId, `${place}/sourceNodeId`),
      targetNodeId: text(connection.targetNodeId, `${place}/targetNodeId`),
    };
  };

  const { $schema: _ofEditor, ...kept } = file;
  const nodes = Array.isArray(file.nodes) ? file.nodes : [];
  const connections = Array.isArray(file.connections) ? file.connections : [];
  // Without nodes, or with too many of them to check, the ends of connections can't be checked either.
  const isReadable = Array.isArray(file.nodes) && nodes.length <= MAX_NODES;
  const definition: Record<string, unknown> = {
    ...kept,
    id: text(file.id, '/id'),
    enabled: file.enabled ?? true,
    nodes: isReadable ? nodes.map(toNode) : [],
    connections: isReadable ? connections.map(toConnection) : [],
  };
  return { definition: definition as WorkflowDefinition, madeUp };
};

/** A node of a file that may be invalid. */
export interface DraftNode {
  readonly index: number;
  readonly node: WorkflowNode;
  /** Type of the node; null for an unknown type. */
  readonly nodeType: NodeType | null;
  /** Names of its outputs, without `error`; null when they are known only at run time. */
  readonly outputs: ReadonlySet<string> | null;
  readonly isDisabled: boolean;
  /** Whether the node's failures go to the output `error`; true for an invalid `onError` too. */
  readonly routesErrors: boolean;
}

/** A connection between nodes that exist. */
export interface DraftEdge {
  /** Index in the connections of the file. */
  readonly index: number;
  readonly source: number;
  readonly target: number;
  readonly output: string;
  readonly input: string;
  /** Whether the edge leads into the body of its source. */
  readonly isBody: boolean;
}

/** Nodes and connections of a file as a graph. If several nodes share an id, the last one counts. */
export interface DraftGraph {
  readonly nodes: readonly DraftNode[];
  readonly edges: readonly DraftEdge[];
  /** The edges of each node. */
  readonly outgoing: readonly (readonly DraftEdge[])[];
  readonly incoming: readonly (readonly DraftEdge[])[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** The format of the file. */
  readonly format: number;
  readonly responses: Responses;
}

export const readDraftGraph = (definition: WorkflowDefinition, findNodeType: FindNodeType): DraftGraph => {
  const { nodes, connections, format = 1 } = definition;
  const indexOf = new Map(nodes.map(({ id }, index) => [id, index]));
  const draftNodes = nodes.map((node, index) => toDraftNode(node, index, findNodeType(node.type)));
  const edges = connections.flatMap((connection, index): DraftEdge[] => {
    const source = indexOf.get(connection.sourceNodeId);
    const target = indexOf.get(connection.targetNodeId);
    if (source === undefined || target === undefined) return [];
    const output = outputOf(connection);
    const isBody = output === draftNodes[source]?.nodeType?.control?.bodyOutput;
    const input = connection.targetInput ?? MAIN_OUTPUT;
    return [{ index, source, target, output, input, isBody }];
  });
  const outgoing: DraftEdge[][] = nodes.map(() => []);
  const incoming: DraftEdge[][] = nodes.map(() => []);
  for (const edge of edges) {
    outgoing[edge.source]?.push(edge);
    incoming[edge.target]?.push(edge);
  }
  const responses = readResponses(definition, (index) => draftNodes[index]?.nodeType ?? null);
  return { nodes: draftNodes, edges, outgoing, incoming, indexOf, format, responses };
};

const outputOf = ({ sourceOutput }: Connection): string => sourceOutput ?? MAIN_OUTPUT;

const toDraftNode = (node: WorkflowNode, index: number, nodeType: NodeType | null): DraftNode => {
  const isDisabled = node.disabled === true;
  const { onError } = isPlainObject(node.settings) ? node.settings : {};
  return {
    index,
    node,
    nodeType,
    outputs: nodeType === null ? null : readOutputs(nodeType, node.parameters),
    isDisabled,
    routesErrors: onError !== undefined && onError !== 'fail' && onError !== 'continue',
  };
};

/** Names of a node's outputs; null when they depend on expressions or can't be computed. */
const readOutputs = ({ outputs }: NodeType, parameters: JsonObject): ReadonlySet<string> | null => {
  try {
    const names: readonly unknown[] = [...namesOfOutputs(outputs, parameters)];
    const isKnown = names.every((name) => typeof name === 'string' && !name.includes('{{'));
    return isKnown ? new Set(names as string[]) : null;
  } catch {
    return null;
  }
};

/**
 * The outputs on which a node can deliver, `error` included; null when they are known only at run time. A disabled node
 * delivers its input on `main`.
 */
export const deliveringOutputs = ({
  outputs,
  isDisabled,
  routesErrors,
}: DraftNode): ReadonlySet<string> | null => {
  if (isDisabled) return new Set([MAIN_OUTPUT]);
  return outputs === null || !routesErrors ? outputs : new Set([...outputs, ERROR_OUTPUT]);
};

/** The outputs on which a node can deliver, without that of its body, which runs inside the node. */
export const outputsBesideBody = (draft: DraftNode): ReadonlySet<string> | null => {
  const body = draft.nodeType?.control?.bodyOutput;
  const outputs = deliveringOutputs(draft);
  return outputs === null || body === undefined || draft.isDisabled
    ? outputs
    : new Set([...outputs].filter((output) => output !== body));
};

export const edgesFrom = ({ outgoing }: DraftGraph, node: number): readonly DraftEdge[] =>
  outgoing[node] ?? [];

export const edgesTo = ({ incoming }: DraftGraph, node: number): readonly DraftEdge[] => incoming[node] ?? [];

export const targetsIn =
  (graph: DraftGraph, follows: (edge: DraftEdge) => boolean = () => true) =>
  (node: number): number[] =>
    edgesFrom(graph, node)
      .filter(follows)
      .map(({ target }) => target);

export const sourcesIn =
  (graph: DraftGraph, follows: (edge: DraftEdge) => boolean = () => true) =>
  (node: number): number[] =>
    edgesTo(graph, node)
      .filter(follows)
      .map(({ source }) => source);

/** More bodies around a node than runs allow. */
const MAX_AROUND = 20;

/**
 * Finds the nodes in whose bodies a node is, the innermost one first. A body is entered only through its node, so a node has
 * the owners of those that lead to it. Takes time proportional to the size of the graph.
 */
export const findOwners = (graph: DraftGraph): ((index: number) => readonly DraftNode[]) => {
  const ownerOf = new Map<number, number>();
  for (const owner of graph.nodes) {
    const first = edgesFrom(graph, owner.index).filter(({ isBody }) => isBody && !owner.isDisabled);
    const isNew = (at: number): boolean => !ownerOf.has(at) && at !== owner.index;
    const next = targetsIn(graph, ({ isBody }) => !isBody);
    for (const at of reachFrom(first.map(({ target }) => target).filter(isNew), (node) =>
      next(node).filter(isNew),
    ))
      ownerOf.set(at, owner.index);
  }
  return (index) => {
    const owners: DraftNode[] = [];
    for (let at = ownerOf.get(index); at !== undefined && owners.length < MAX_AROUND; at = ownerOf.get(at))
      owners.push(...graph.nodes.slice(at, at + 1));
    return owners;
  };
};
