import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { type FindNodeType, isId } from '@hookloom/plugin-kit/host';
import { quote } from '../../../lib/shared/describe.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { pollOf } from '../../../lib/workflows/plan/poll-type.ts';
import {
  type DraftGraph,
  findOwners,
  NAMELESS,
  reachFrom,
  readDraft,
  readDraftGraph,
  sourcesIn,
  targetsIn,
} from '../validation/graph/draft-graph.ts';
import { validateWorkflow } from '../validation/validate.ts';

/** A node that can be tried, or why it can't be. */
type CheckedTrial =
  | { readonly problems: readonly TrialProblem[] }
  | {
      readonly problems: null;
      /** The node, with its body if it has one, and the connections between them: the node is the first. */
      readonly definition: WorkflowDefinition;
      /** The connections that lead to the node, in the order of the definition. */
      readonly incoming: WorkflowDefinition['connections'];
      /** Ids of the nodes that lead to it, whose outputs its expressions may read. */
      readonly before: ReadonlySet<string>;
      /** The nodes in whose bodies it is, the innermost one first, with the outputs that lead there. */
      readonly around: readonly { readonly nodeId: string; readonly output: string }[];
      /** The trigger that leads to it, or the first one; null if there is none. */
      readonly trigger: { readonly nodeId: string; readonly type: string } | null;
      readonly warnings: readonly Problem[];
    };

/** A problem, in the definition or in the id of the node. */
interface TrialProblem extends Problem {
  readonly of: 'definition' | 'nodeId';
}

interface Stage {
  /** Finds the given node types, loading their plugins. */
  readonly loadNodeTypes: (nodeTypes: readonly string[]) => Promise<FindNodeType>;
  /** The values of the stage's variables, by name. */
  readonly readVariables: () => Promise<JsonObject>;
}

/**
 * Checks whether one node of a definition, as drawn, can be tried. Of the problems that prevent storing the definition,
 * only those of the node, of its body, and of the workflow's id and settings count: the rest may be unfinished.
 *
 * @param value - a parsed workflow file of any shape, at most 100 levels deep
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const checkTrial = async (
  value: unknown,
  nodeId: string,
  { loadNodeTypes, readVariables }: Stage,
): Promise<CheckedTrial> => {
  const definition = isPlainObject(value) ? readDraft(value).definition : null;
  const findNodeType = await loadNodeTypes([...new Set(definition?.nodes.map(({ type }) => type))]);
  const readsVariables = JSON.stringify(value)?.includes('$vars') === true;
  const variables = readsVariables ? Object.keys(await readVariables()) : [];
  const { problems, warnings } = await validateWorkflow(value, findNodeType, variables);
  if (definition === null) return { problems: problems.map((problem) => ({ ...problem, of: 'definition' })) };
  const graph = readDraftGraph(definition, findNodeType);
  return selectTrial({ definition, graph, problems, warnings }, nodeId);
};

interface Validated {
  readonly definition: WorkflowDefinition;
  readonly graph: DraftGraph;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

const selectTrial = ({ definition, graph, problems, warnings }: Validated, nodeId: string): CheckedTrial => {
  const refuseNode = (message: string): CheckedTrial => ({ problems: [{ of: 'nodeId', path: '', message }] });
  const tried = graph.nodes.find(({ node }) => node.id === nodeId);
  if (tried === undefined) return refuseNode(`there is no node ${quote(nodeId)} in the definition`);
  const part = [tried.index, ...findBody(graph, tried.index)];
  const refused = part
    .map((index) => findRefusal(graph, index, index === tried.index))
    .find((reason) => reason !== null);
  if (refused !== undefined) return refuseNode(refused);
  const found = problems.filter((problem) => concerns(problem, definition, part));
  // What is missing is a problem of the whole.
  const unreadable = part.find((index) => {
    const { node, nodeType } = graph.nodes[index] as DraftGraph['nodes'][number];
    return node.id === NAMELESS || nodeType === null;
  });
  if (found.length === 0 && unreadable !== undefined)
    return {
      problems: [
        { of: 'definition', path: `/nodes/${unreadable}/type`, message: 'must have an id and a type' },
      ],
    };
  if (found.length === 0 && !isId(definition.id))
    return { problems: [{ of: 'definition', path: '/id', message: 'must be the id of the workflow' }] };
  if (found.length > 0) return { problems: found.map((problem) => ({ ...problem, of: 'definition' })) };
  const nodes = part.flatMap((index) => definition.nodes[index] ?? []);
  const inside = new Set(nodes.map(({ id }) => id));
  const isPart = new Set(part);
  const edges = graph.edges.filter(({ source, target }) => isPart.has(source) && isPart.has(target));
  const before = new Set(reachFrom(sourcesIn(graph)(tried.index), sourcesIn(graph)));
  const triggers = graph.nodes.filter(
    ({ nodeType, isDisabled }) => nodeType?.kind === 'trigger' && !isDisabled,
  );
  const trigger = triggers.find(({ index }) => before.has(index)) ?? triggers[0];
  return {
    problems: null,
    definition: {
      ...definition,
      nodes,
      connections: edges
        .filter(({ source, target, isBody }) => target !== tried.index && (source !== tried.index || isBody))
        .flatMap(({ index }) => definition.connections[index] ?? []),
    },
    incoming: definition.connections.filter(
      ({ sourceNodeId, targetNodeId }) => targetNodeId === nodeId && !inside.has(sourceNodeId),
    ),
    before: new Set([...before].flatMap((index) => definition.nodes[index]?.id ?? [])),
    around: findOwners(graph)(tried.index).flatMap(({ node, nodeType }) => {
      const output = nodeType?.control?.bodyOutput;
      return output === undefined ? [] : [{ nodeId: node.id, output }];
    }),
    trigger: trigger === undefined ? null : { nodeId: trigger.node.id, type: trigger.node.type },
    warnings: warnings.filter((problem) => concerns(problem, definition, part)),
  };
};

/** The nodes that a node runs as its body. */
const findBody = (graph: DraftGraph, index: number): readonly number[] => {
  const roots = targetsIn(graph, ({ isBody }) => isBody)(index);
  return [...reachFrom(roots, targetsIn(graph))].filter((one) => one !== index);
};

/** Fields of a node whose problems prevent a trial; how the node is connected does not. */
const OWN_FIELD = /^\/nodes\/(\d+)\/(?:id|type|parameters|settings|credentialId)(?:\/|$)/;
/** Fields of the workflow that matter to any run. */
const WORKFLOW_FIELD = /^\/(?:id|settings)(?:\/|$)/;

const concerns = ({ path }: Problem, { nodes }: WorkflowDefinition, part: readonly number[]): boolean => {
  if (WORKFLOW_FIELD.test(path)) return true;
  const [, index] = OWN_FIELD.exec(path) ?? [];
  if (index === undefined) return false;
  const id = nodes[Number(index)]?.id;
  return part.some((one) => nodes[one]?.id === id); // another node may have the same id
};

/** @returns why the node can't be tried; null if it can */
const findRefusal = ({ nodes }: DraftGraph, index: number, isTried: boolean): string | null => {
  const { node, nodeType, isDisabled } = nodes[index] as DraftGraph['nodes'][number];
  const name = `the node ${quote(node.id)}`;
  if (nodeType?.kind === 'trigger' && pollOf(nodeType) === null)
    return `${name} is a trigger: it starts runs, and its output is what you give to the nodes after it`;
  if (isDisabled) return isTried ? `${name} is disabled: a run passes its input on` : null;
  if (nodeType?.control?.suspends === true)
    return `${name} waits, so it can't be tried: it would suspend the run`;
  if (node.type === 'respondToWebhook')
    return `${name} answers the caller of a webhook, so it can't be tried: a trial has none`;
  return null;
};
