import type { InnerResult, JsonObject } from '@hookloom/plugin-kit';
import type { Plan, Route } from '../workflows/plan/plan.ts';
import type { Outputs } from './progress.ts';
import type { NodeFailure } from './result.ts';
import type { Steps } from './steps.ts';

/** What a run needs, be it the workflow's own run or an inner run of one of its nodes. */
export interface RunOptions {
  readonly plan: Plan;
  readonly route: Route;
  readonly steps: Steps;
  /** Prefix of all node keys of the run, such as `each/0/3`; empty for the workflow's own run. */
  readonly within: string;
  /** Outputs of outer nodes that expressions can read as `$nodes`. */
  readonly nodes?: JsonObject;
  /** Aborted when the enclosing run ends; the session's signal if absent. */
  readonly signal?: () => AbortSignal;
  /** See `execute`. */
  readonly collectsEnds?: boolean;
  /** The chain of workflows that led here, such as `a → b`; only the execution's own workflow if absent. */
  readonly chain?: string;
  /** The value of `$trigger`, if the run does not start at a trigger. */
  readonly trigger?: JsonObject;
}

export interface RunResult {
  readonly output: JsonObject;
  readonly response: JsonObject | null;
  readonly failure: NodeFailure | null;
}

/** A run as seen by the control node that starts it. */
export interface InnerRun {
  /** Runs the trigger, with `input`, and what follows it. */
  fromTrigger(input: JsonObject): Promise<RunResult>;
  /** Runs what follows the first node of the route, as if that node had delivered `outputs`. */
  fromOutputs(outputs: Outputs): Promise<RunResult>;
}

export const toInnerResult = ({ output, failure }: RunResult): InnerResult =>
  failure === null ? { output } : { failure };
