import type { NodeExecutor, WorkflowNode } from '@hookloom/plugin-kit';
import type { NodeType } from '@hookloom/plugin-kit/host';
import type { WorkflowDefinition } from '../definition/definition.ts';
import type { ResolveParameters } from '../expressions/scope.ts';

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
  /** Executor of a node, loaded on first use. @throws Error when it can't be loaded or has a different node type */
  executorOf(node: PlanNode): NodeExecutor | Promise<NodeExecutor>;
}

/** The type of one node: pure or not by its parameters. */
export type PlanNodeType = Omit<NodeType, 'pure'> & { readonly pure: boolean };

export interface PlanNode {
  /** Index in the definition: the plan order. */
  readonly index: number;
  readonly node: WorkflowNode;
  readonly nodeType: PlanNodeType;
  /** Null when the parameters hold no expression. */
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
  /** Whether it leads into the body of its source. */
  readonly isBody: boolean;
}

/** Ids that a node's expressions read behind `$nodes`; `all` when an expression computes them. */
export type NodesRead = readonly string[] | 'all';

/** A loop on a route, with the data for its turns. */
export interface RouteLoop {
  readonly header: number;
  readonly nodes: readonly number[];
  /** Index of the enclosing loop; -1 for none. */
  readonly parent: number;
  /** Number of nodes and loops directly inside: all must settle before a turn is over. */
  readonly units: number;
  readonly backEdges: readonly number[];
  /** Edges with both ends inside, without the back edges of this loop. */
  readonly innerEdges: readonly number[];
  /** Edges that leave it and end within the enclosing loop; those that leave the enclosing loop too belong to that. */
  readonly exitEdges: readonly number[];
  /** Indexes of the loops inside, at any depth. */
  readonly inside: readonly number[];
}

/** The part of a plan that one trigger starts. Arrays are indexed by node or by edge. */
export interface Route {
  readonly trigger: number;
  readonly loops: readonly RouteLoop[];
  /** Innermost loop of a node; -1 for none. */
  readonly loopOf: Int32Array;
  /** Number of incoming edges of a node, without back edges. */
  readonly awaited: Int32Array;
  /** Incoming edges of a node, in the order of the definition, without back edges. */
  readonly incoming: readonly (readonly number[])[];
  /** One of {@link EDGE} per edge. */
  readonly kind: Uint8Array;
}
