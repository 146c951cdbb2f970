import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import type { WorkflowDefinition } from './definition.ts';

/** Something that is wrong in a workflow file, or probably wrong; `path` is a JSON pointer (RFC 6901). */
export interface Problem {
  readonly path: string;
  readonly message: string;
  /** Severity of the problem: with a warning, the workflow is stored nevertheless. If absent, it is an error. */
  readonly severity?: 'warning';
  /** The correction, if the message suggests one that is exact: operations to apply in this order. */
  readonly proposal?: readonly PatchOperation[];
  /** The JSON types that are accepted, and those that the value has, if it can't be of any of them. */
  readonly types?: { readonly accepted: readonly string[]; readonly found: readonly string[] };
}

/** The problems of the rows that apply. */
export const problemsWhere = (
  ...rows: readonly (readonly [applies: boolean, path: string, message: string])[]
): Problem[] => rows.flatMap(([applies, path, message]) => (applies ? [{ path, message }] : []));

/**
 * An operation of JSON Patch (RFC 6902). The places are JSON pointers into the workflow file. `add` writes a key of an
 * object, and `move` renames one within its object.
 */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move'; readonly from: string; readonly path: string };

/** The findings about a workflow that is to be stored. It can be stored if it has no problems. */
export interface CheckedWorkflow {
  /** Null if the workflow itself is not valid. */
  readonly definition: WorkflowDefinition | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** When its schedules fire next. */
  readonly times: readonly TriggerTimes[];
  /** Absent unless it was asked for. */
  readonly described?: DescribedData;
}

/** JSON Schemas of data that only the service can describe. */
export interface DescribedData {
  /** What nodes deliver on each output, by their ids, if it depends on the code of a node type. */
  readonly outputs: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  /** What the workflows deliver and take that it runs, by their ids. */
  readonly workflows: Readonly<
    Record<string, { readonly output: JsonObject; readonly input?: JsonObject | undefined }>
  >;
}

/** When a trigger fires next: local times in its time zone with UTC offsets; empty when it never fires again. */
export interface TriggerTimes {
  readonly triggerNodeId: string;
  readonly times: readonly string[];
}
