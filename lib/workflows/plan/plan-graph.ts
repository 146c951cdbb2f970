import type { WorkflowNode } from '../../contract/node.ts';
import type { NodeType } from '../../contract/node-type.ts';
import type { ResolveParameters } from '../expressions/parameters.ts';

/** One node, ready to run. */
export interface PlanNode {
  /** Its place in the definition: what "plan order" goes by. */
  readonly index: number;
  readonly node: WorkflowNode;
  readonly nodeType: NodeType;
  /** Null when the parameters hold no expression. */
  readonly resolve: ResolveParameters | null;
  /** Indexes of the edges that leave it and that lead into it, in the order of the definition. */
  readonly outgoing: readonly number[];
  readonly incoming: readonly number[];
}

export interface PlanEdge {
  readonly source: number;
  readonly sourceOutput: string;
  readonly target: number;
  readonly targetInput: string;
  /** Whether it leads into the body of its source, which runs that itself. */
  readonly isBody: boolean;
}
