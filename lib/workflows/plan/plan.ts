import { type JsonObject, MAIN_OUTPUT, type NodeExecutor } from '@hookloom/plugin-kit';
import { type FindNodeType, isPure, type NodeType } from '@hookloom/plugin-kit/host';
import { AppError } from '../../shared/errors.ts';
import type { WorkflowDefinition } from '../definition/definition.ts';
import { compileParameters, withoutLiterals } from '../expressions/parameters.ts';
import { findNodesRead } from './nodes-read.ts';
import type { PlanEdge, PlanNode, PlanNodeType } from './plan-graph.ts';
import { computeRoute, type Route } from './route.ts';

/** A workflow compiled for execution: built once per version, shared by its executions. */
export interface Plan {
  readonly definition: WorkflowDefinition;
  readonly nodes: readonly PlanNode[];
  readonly edges: readonly PlanEdge[];
  /** Whether no enabled node touches the outside: running it twice does nothing twice. */
  readonly isPure: boolean;
  /** Whether an expression uses `$nodes`, so that outputs must be kept. */
  readonly readsNodes: boolean;
  /** What its enabled actions borrow. */
  readonly credentialIds: readonly string[];
  /** Route of executions that a trigger starts. @throws AppError `WORKFLOW_INVALID` when it is not an enabled trigger */
  routeFrom(triggerNodeId: string): Route;
  /** Route of one run of a node's body, in which the node takes the place of a trigger. */
  bodyRouteOf(node: PlanNode): Route;
  /** Executor of a node, loaded on first use. @throws Error when it can't be loaded or is of another node type */
  executorOf(node: PlanNode): NodeExecutor | Promise<NodeExecutor>;
}

/** Compiles a stored workflow. @throws AppError `WORKFLOW_INVALID` when it was stored without validation */
export const compilePlan = (definition: WorkflowDefinition, findNodeType: FindNodeType): Plan => {
  const invalid = (reason: string) => new AppError('WORKFLOW_INVALID', { reason });

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
    const resolve = compileParameters(parameters, { literals, schema });
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
      throw new Error(`the executor of "${nodeType.nodeType}" says that it handles "${claimed}"`);
    }
    executors.set(nodeType.nodeType, executor);
    return executor;
  };

  return {
    definition,
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
