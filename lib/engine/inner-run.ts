import type { JsonObject } from '../contract/json.ts';
import type { InnerResult } from '../contract/node.ts';
import type { Plan } from '../workflows/plan/plan.ts';
import type { Route } from '../workflows/plan/route.ts';
import type { Outputs } from './progress.ts';
import type { NodeFailure } from './result.ts';
import type { Steps } from './steps.ts';

/** Where a run has its place: the workflow's own run at the top, others inside of a node of it. */
export interface RunPlace {
  readonly plan: Plan;
  readonly route: Route;
  readonly steps: Steps;
  /** `` at the top, else such as `each/0/3`: the start of every name in it. */
  readonly within: string;
  /** The outputs of nodes that can be seen from inside: `$nodes`. */
  readonly nodes?: JsonObject;
  /** `$trigger`, when the run starts with another node. */
  readonly trigger?: JsonObject;
}

/** What a run has come to. */
export interface RunEnd {
  readonly output: JsonObject;
  readonly response: JsonObject | null;
  readonly failure: NodeFailure | null;
}

/** One way through a plan, as whatever asked for it sees it. */
export interface InnerRun {
  /** Runs from the trigger, which gets `input`. */
  fromTrigger(input: JsonObject): Promise<RunEnd>;
  /** Runs what is behind the node at the start of the route, as if that had just delivered `outputs`. */
  fromOutputs(outputs: Outputs): Promise<RunEnd>;
}

export const toInnerResult = ({ output, failure }: RunEnd): InnerResult =>
  failure === null ? { output } : { failure };
