import type { JsonObject } from '../contract/json.ts';
import type { DeliveredInput, RunControl } from '../contract/node.ts';
import type { Scope } from '../workflows/expressions/scope.ts';
import type { PlanNode } from '../workflows/plan/plan-graph.ts';
import type { Outputs } from './progress.ts';
import type { NodeFailure, NodeRecord } from './result.ts';

/** One run of one node, whatever number of attempts it takes. */
export interface NodeRun {
  readonly planNode: PlanNode;
  readonly input: JsonObject;
  readonly inputs: readonly DeliveredInput[];
  readonly iteration: number;
  /** Names it in the execution: `nodeId/iteration`, after the place of the run that it is in. */
  readonly name: string;
  /** The place of that run; `` at the top. */
  readonly within: string;
  /** Null when the node's parameters hold no expression. */
  readonly scope: Scope | null;
  /** Null for nodes that do not steer the run. */
  readonly control: RunControl | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** How many attempts were begun, in this process or, by their number, in earlier ones. */
  attempts: number;
  /** What it came to; null while it is open. */
  outcome: Outcome | null;
}

/** How one run of a node came out: what goes on record, what goes on to the next nodes. */
export interface Outcome {
  readonly record: NodeRecord;
  readonly outputs: Outputs;
  /** The failure, when it ends the execution. */
  readonly fatal: NodeFailure | null;
}
