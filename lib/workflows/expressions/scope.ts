import type { ExecutionInfo, JsonObject, JsonValue } from '@hookloom/plugin-kit';

/** Data for the expressions of one node. */
export interface Scope {
  /** The node's input: the root of every path. */
  readonly input: JsonObject;
  /** `$nodes` in expressions: the last output of each node that has run. */
  readonly nodes: JsonObject;
  /** `$trigger` in expressions: the output of the trigger that fired. */
  readonly trigger: JsonObject;
  readonly execution: ExecutionInfo;
  /** `$item` in expressions: the item of the innermost body that runs for each item of a list; absent outside of one. */
  readonly item?: Result;
  /** `$vars` in expressions: values of the stage's variables by name; absent if there are none. */
  readonly variables?: JsonObject | undefined;
  /** The seed of `$random()`: unique for each node run, and the same in a replay. */
  readonly seed: string;
  /** Whether the execution's time is up, after which no expression is evaluated. */
  readonly isTimeUp?: () => boolean;
  /**
   * Whether a part that gives nothing, or null, leaves nothing of what `&` joins, and of a list that is written as an
   * argument, as for `$join`: what addresses something would address something else without that part.
   */
  readonly needsParts?: boolean;
  /** How many steps one evaluation may take, instead of the limit for nodes: see `Budget`. */
  readonly maxSteps?: number;
}

/** `$vars` where there are no variables. */
export const NO_VARIABLES: JsonObject = Object.freeze({});

/** The value of an expression; undefined if it has no result. Null is data. */
export type Result = JsonValue | undefined;

/** A part of a template: literal text, or an expression without its braces. */
export type TemplatePart =
  | { readonly text: string }
  | { readonly expression: string; readonly offset: number };

/** A compiled expression. Asynchronous only while JSONata is loaded and parses it. */
export type Evaluate = (scope: Scope) => Result | Promise<Result>;

/** Evaluates all expressions in a node's parameters; synchronous if all of them are. */
export type ResolveParameters = (scope: Scope) => JsonObject | Promise<JsonObject>;

/** Describes the execution as `$execution` in expressions. */
export const describeExecution = ({ executionId, trigger, ...others }: ExecutionInfo): JsonObject => ({
  id: executionId,
  ...others,
  trigger: { ...trigger },
});
