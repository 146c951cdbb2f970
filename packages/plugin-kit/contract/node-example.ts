import type { JsonObject } from './json.ts';

/** An example node of a type, for the reference. */
export interface NodeExample {
  /** The node's parameters as in a workflow file: values may be expressions. Valid for the schema of the node type. */
  readonly parameters: JsonObject;
  /** The input of the node. */
  readonly input?: JsonObject;
  /** What it delivers with these parameters and this input. */
  readonly output?: JsonObject;
}
