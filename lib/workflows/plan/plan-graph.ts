import type { WorkflowNode } from '@hookloom/plugin-kit';
import type { NodeType } from '@hookloom/plugin-kit/host';
import type { ResolveParameters } from '../expressions/parameters.ts';
import type { NodesRead } from './nodes-read.ts';

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
