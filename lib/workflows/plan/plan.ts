import type { NodeExecutor, WorkflowNode } from '@hookloom/plugin-kit';
import type { NodeType } from '@hookloom/plugin-kit/host';
import type { WorkflowDefinition } from '../definition/definition.ts';
import type { ResolveParameters } from '../expressions/scope.ts';

/** A workflow compiled for execution. It is built once per version and shared by its executions. */
export interface Plan {
  readonly definition: WorkflowDefinition;
  /** The format of the workflow file. */
  readonly format: number;
  readonly nodes: readonly PlanNode[];
  readonly edges: readonly PlanEdge[];
  /** Whether no enabled node has side effects, so that running it twice does no harm. */
  readonly isPure: boolean;
  /** Whether an expression uses `$nodes`, so that outputs must be kept. */
  readonly readsNodes: boolean;
  /** The credentials that the workflow's enabled actions borrow. */
  readonly credentialIds: readonly string[];
  /**
   * The route of executions that a trigger starts. @throws AppError `WORKFLOW_INVALID` if it is not an enabled trigger
   */
  routeFrom(triggerNodeId: string): Route;
  /** The route of one run of a node's body, in which the node takes the place of a trigger. */
  bodyRouteOf(node: PlanNode): Route;
  /**
   * The executor of a node, loaded on first use. @throws Error if it can't be loaded or is for a different node type
   */
  executorOf(node: PlanNode): NodeExecutor | Promise<NodeExecutor>;
}

/** The type of one node, with `pure` decided by its parameters. */
export type PlanNodeType = Omit<NodeType, 'pure'> & { readonly pure: boolean };

export interface PlanNode {
  /** Index in the definition: the plan order. */
  readonly index: number;
  readonly node: WorkflowNode;
  readonly nodeType: PlanNodeType;
  /** Resolves the node's parameters; null if they contain no expression. */
  readonly resolve: ResolveParameters | null;
  readonly nodesRead: NodesRead;
  /** Indexes of outgoing and incoming edges, in the order of the definition. */
  readonly outgoing: readonly number[];
  readonly incoming: readonly number[];
}

export interface PlanEdge {
  readonly source: number;
  readonly sourceOutput: string;
  readonly target: number;
  readonly targetInput: string;
  /** Whether the edge leads into the body of its source. */
  readonly isBody: boolean;
}

/** Ids that a node's expressions read from `$nodes`; `all` if an expression computes them. */
export type NodesRead = readonly string[] | 'all';

/** A loop on a route, with the data for its iterations. */
export interface RouteLoop {
  readonly header: number;
  readonly nodes: readonly number[];
  /** Index of the enclosing loop; -1 for none. */
  readonly parent: number;
  /** Number of nodes and loops directly inside, all of which must settle before an iteration is over. */
  readonly units: number;
  readonly backEdges: readonly number[];
  /** Edges with both ends inside the loop, excluding its own back edges. */
  readonly innerEdges: readonly number[];
  /**
   * Edges that leave the loop and end inside the enclosing loop. Those that also leave the enclosing loop belong to
   * that one.
   */
  readonly exitEdges: readonly number[];
  /** Indexes of the loops inside, at any depth. */
  readonly inside: readonly number[];
}

/** The part of a plan that one trigger starts. Arrays are indexed by node or by edge. */
export interface Route {
  readonly trigger: number;
  readonly loops: readonly RouteLoop[];
  /** The innermost loop of a node; -1 for none. */
  readonly loopOf: Int32Array;
  /** Number of a node's incoming edges, excluding back edges. */
  readonly awaited: Int32Array;
  /** A node's incoming edges in the order of the definition, excluding back edges. */
  readonly incoming: readonly (readonly number[])[];
  /** One of {@link EDGE} per edge. */
  readonly kind: Uint8Array;
}
