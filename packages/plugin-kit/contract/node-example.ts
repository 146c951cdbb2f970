import type { JsonObject } from './json.ts';

/** A node of a type, for the reference. */
export interface NodeExample {
  /** As in a workflow file: values may be expressions. Valid for the schema of the node type. */
  readonly parameters: JsonObject;
  /** The input of the node. */
  readonly input?: JsonObject;
  /** The data that it delivers with these parameters and this input. */
  readonly output?: JsonObject;
}
