import type { JsonObject, JsonValue } from '../../contract/json.ts';
import type { ExecutionInfo } from '../../contract/node.ts';

/** What an expression of one node sees. */
export interface Scope {
  /** The node's input: the root of every path. */
  readonly input: JsonObject;
  /** `$nodes`: what each node that has run delivered last. */
  readonly nodes: JsonObject;
  /** `$trigger`: the output of the trigger that fired. */
  readonly trigger: JsonObject;
  readonly execution: ExecutionInfo;
  /** Names this run of this node, so that `$random()` gives the same numbers when it is repeated. */
  readonly seed: string;
  /** Whether the execution's time is up: then nothing more is evaluated. */
  readonly isTimeUp?: () => boolean;
}

/**
 * An expression that was compiled. Nothing found is null. Plain paths answer at once, other expressions too once they
 * have been parsed: the first time they answer later.
 */
export type Evaluate = (scope: Scope) => JsonValue | Promise<JsonValue>;

/** `$execution`, as expressions see it. */
export const describeExecution = ({ executionId, trigger, ...others }: ExecutionInfo): JsonObject => ({
  id: executionId,
  ...others,
  trigger: { ...trigger },
});
