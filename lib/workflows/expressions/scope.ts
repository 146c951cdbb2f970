import type { ExecutionInfo, JsonObject, JsonValue } from '@hookloom/plugin-kit';

/** Data for the expressions of one node. */
export interface Scope {
  /** The node's input: the root of every path. */
  readonly input: JsonObject;
  /** `$nodes`: the last output of each node that has run. */
  readonly nodes: JsonObject;
  /** `$trigger`: the output of the trigger that fired. */
  readonly trigger: JsonObject;
  readonly execution: ExecutionInfo;
  /** Unique per run of a node, and the same in a replay: the seed of `$random()`. */
  readonly seed: string;
  /** Whether the execution's time is up; no expression is evaluated then. */
  readonly isTimeUp?: () => boolean;
  /** Steps of one evaluation, in place of the limit for nodes: see `Budget`. */
  readonly maxSteps?: number;
}

/** The value of an expression; undefined when it has no result. Null is data. */
export type Result = JsonValue | undefined;

/** A compiled expression. Asynchronous only while JSONata is loaded and parses it. */
export type Evaluate = (scope: Scope) => Result | Promise<Result>;

/** A node's parameters with every expression evaluated; synchronous when all expressions are. */
export type ResolveParameters = (scope: Scope) => JsonObject | Promise<JsonObject>;

/** `$execution` in expressions. */
export const describeExecution = ({ executionId, trigger, ...others }: ExecutionInfo): JsonObject => ({
  id: executionId,
  ...others,
  trigger: { ...trigger },
});
