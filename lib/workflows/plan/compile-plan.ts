import { type JsonObject, MAIN_OUTPUT, type NodeExecutor } from '@hookloom/plugin-kit';
import { type FindNodeType, isPure, type NodeType } from '@hookloom/plugin-kit/host';
import { WORKFLOW_INVALID } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { WorkflowDefinition } from '../definition/definition.ts';
import { compileParameters, withoutLiterals } from '../expressions/parameters.ts';
import type { NodesRead, Plan, PlanEdge, PlanNode, PlanNodeType, Route } from './plan.ts';
import { computeRoute } from './route.ts';

/** Compiles a stored workflow. @throws AppError `WORKFLOW_INVALID` if it was stored without validation */
export const compilePlan = (definition: WorkflowDefinition, findNodeType: FindNodeType): Plan => {
  const invalid = (reason: string) => new AppError(WORKFLOW_INVALID, { reason });

  const { format = 1 } = definition;
  const indexOf = new Map<string, number>();
  for (const { id } of definition.nodes) {
    if (indexOf.has(id)) throw invalid(`there are two nodes "${id}"`);
    indexOf.set(id, indexOf.size);
  }

  const indexOfNode = (id: string): number => {
    const index = indexOf.get(id);
    if (index === undefined) throw invalid(`a connection names the node "${id}", which does not exist`);
    return index;
  };

  const bodyOutputs = definition.nodes.map(({ type }) => findNodeType(type)?.control?.bodyOutput);
  const edges = definition.connections.map((connection): PlanEdge => {
    const source = indexOfNode(connection.sourceNodeId);
    const sourceOutput = connection.sourceOutput ?? MAIN_OUTPUT;
    return {
      source,
      sourceOutput,
      target: indexOfNode(connection.targetNodeId),
      targetInput: connection.targetInput ?? MAIN_OUTPUT,
      isBody: sourceOutput === bodyOutputs[source],
    };
  });
  const outgoing: number[][] = definition.nodes.map(() => []);
  const incoming: number[][] = definition.nodes.map(() => []);
  edges.forEach(({ source, target }, edge) => {
    outgoing[source]?.push(edge);
    incoming[target]?.push(edge);
  });

  const nodes = definition.nodes.map((node, index): PlanNode => {
    const nodeType = findNodeType(node.type);
    if (nodeType === null) throw invalid(`the node "${node.id}" has the unknown type "${node.type}"`);
    const parameters = node.parameters ?? {};
    const { literalParameters: literals, schema } = nodeType;
    const resolve = compileParameters(parameters, { literals, schema, format });
    return {
      index,
      node: Object.freeze({ ...node, parameters: resolve === null ? deepFreeze(parameters) : parameters }),
      nodeType: toPlanNodeType(nodeType, parameters),
      resolve,
      nodesRead: findNodesRead(withoutLiterals(parameters, literals)),
      outgoing: outgoing[index] ?? [],
      incoming: incoming[index] ?? [],
    };
  });

  const routes = new Map<string, Route>();
  const bodyRoutes = new Map<number, Route>();
  const executors = new Map<string, NodeExecutor>();

  const routeFrom = (triggerNodeId: string): Route => {
    const known = routes.get(triggerNodeId);
    if (known !== undefined) return known;
    const trigger = nodes[indexOf.get(triggerNodeId) ?? -1];
    if (trigger === undefined) throw invalid(`the trigger "${triggerNodeId}" does not exist`);
    if (trigger.nodeType.kind !== 'trigger') throw invalid(`the node "${triggerNodeId}" is not a trigger`);
    if (trigger.node.disabled === true) throw invalid(`the trigger "${triggerNodeId}" is disabled`);
    const route = computeRoute({ nodes, edges }, trigger.index);
    routes.set(triggerNodeId, route);
    return route;
  };

  const bodyRouteOf = ({ index }: PlanNode): Route => {
    const route = bodyRoutes.get(index) ?? computeRoute({ nodes, edges }, index, 'body');
    bodyRoutes.set(index, route);
    return route;
  };

  const loadExecutor = async ({ nodeType }: PlanNode): Promise<NodeExecutor> => {
    const executor = await nodeType.getExecutor();
    const claimed = executor.getNodeType();
    if (claimed !== nodeType.nodeType) {
      throw new Error(`the executor of "${nodeType.nodeType}" is for the node type "${claimed}"`);
    }
    executors.set(nodeType.nodeType, executor);
    return executor;
  };

  return {
    definition,
    format,
    nodes,
    edges,
    isPure: nodes.every(({ node, nodeType }) => node.disabled === true || nodeType.pure),
    readsNodes: nodes.some(({ nodesRead }) => nodesRead.length > 0),
    credentialIds: findCredentialIds(nodes),
    routeFrom,
    bodyRouteOf,
    executorOf: (node) => executors.get(node.nodeType.nodeType) ?? loadExecutor(node),
  };
};

const toPlanNodeType = (nodeType: NodeType, parameters: JsonObject): PlanNodeType => ({
  ...nodeType,
  pure: isPure(nodeType, parameters),
});

const findCredentialIds = (nodes: readonly PlanNode[]): readonly string[] => {
  const borrowers = nodes.filter(
    ({ node, nodeType }) => nodeType.kind === 'action' && node.disabled !== true,
  );
  return [...new Set(borrowers.flatMap(({ node }) => node.credentialId ?? []))];
};

const deepFreeze = <Value>(value: Value): Value => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
};

const READ = /\$nodes(?:\.(?:`([^`]*)`|([A-Za-z_]\w*)))?/g;

/** Looks for ids in the text of the parameters. That is enough, since a word that is not an id costs only a lookup. */
const findNodesRead = (parameters: JsonObject): NodesRead => {
  const text = JSON.stringify(parameters);
  if (!text.includes('$nodes')) return [];
  const ids = [...text.matchAll(READ)].map(([, quoted, name]) => quoted ?? name);
  return ids.includes(undefined) ? 'all' : [...new Set(ids as string[])];
};

/** Ids of a node and of all nodes that it leads to, which a retry from this node runs again. */
export const findBehind = (plan: Plan, nodeId: string): ReadonlySet<string> => {
  const found = new Set<string>();
  const work = plan.nodes.filter(({ node }) => node.id === nodeId);
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (found.has(next.node.id)) continue;
    found.add(next.node.id);
    for (const edge of next.outgoing) {
      const target = plan.nodes[plan.edges[edge]?.target ?? -1];
      if (target !== undefined) work.push(target);
    }
  }
  return found;
};

/** Whether a run's output holds the outputs of all end nodes, by node id, as its trigger's `lastNodeAnswer` asks. */
export const collectsAllEnds = (
  { nodes }: Pick<WorkflowDefinition, 'nodes'>,
  triggerNodeId: string,
): boolean => nodes.find(({ id }) => id === triggerNodeId)?.parameters?.lastNodeAnswer === 'all';
