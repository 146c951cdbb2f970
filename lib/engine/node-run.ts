import type { DeliveredInput, JsonObject, RunControl, Usage } from '@hookloom/plugin-kit';
import type { Scope } from '../workflows/expressions/scope.ts';
import type { PlanNode } from '../workflows/plan/plan-graph.ts';
import type { Outputs } from './progress.ts';
import type { NodeFailure, NodeRecord } from './result.ts';

/** One run of one node, with all its attempts. */
export interface NodeRun {
  readonly planNode: PlanNode;
  readonly input: JsonObject;
  readonly inputs: readonly DeliveredInput[];
  readonly iteration: number;
  /** See `nodeKeyOf`. */
  readonly key: string;
  /** See {@link NodeRecord}; empty in the workflow's own run. */
  readonly within: string;
  /** Aborted when the run that it belongs to, or the execution, ends without it. A function, since few runs need it. */
  readonly signal: () => AbortSignal;
  /** Null when the node's parameters hold no expression. */
  readonly scope: Scope | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Null for nodes that are no control nodes. */
  control: RunControl | null;
  /** Number of the latest attempt; earlier processes may have made some of them. */
  attempts: number;
  /** What the latest attempt has counted in this process; null for nothing. */
  usage: Usage | null;
  /** Names of the callbacks that it has opened and not been answered by. */
  callbacks: readonly string[];
  /** Null while the run is open. */
  outcome: Outcome | null;
}

export interface Outcome {
  readonly record: NodeRecord;
  readonly outputs: Outputs;
  /** The failure, when it ends the execution. */
  readonly fatal: NodeFailure | null;
}
