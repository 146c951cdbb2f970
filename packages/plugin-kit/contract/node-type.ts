import type { JsonObject } from './json.ts';
import type { NodeExecutor } from './node.ts';
import type { PluginHandle } from './plugin.ts';

/** The fields of a handle that have a default, which is filled in. Only nodes that are not `pure` are steps with checkpoints. */
type Completed =
  | 'pure'
  | 'literalParameters'
  | 'outputs'
  | 'inputs'
  | 'endsBranch'
  | 'options'
  | 'credentialTypes'
  | 'credentialRequired';

/** The fields of a handle that are null if it has none. */
type Nullable = 'control' | 'checkParameters' | 'credentialTypesFor' | 'awsCalls' | 'firedBy';

/** A node type as the engine and the validation use it, the same for both plugin APIs. */
export interface NodeType
  extends Pick<PluginHandle, 'kind' | 'schema'>,
    Required<Pick<PluginHandle, Completed>>,
    Readonly<{ [Name in Nullable]: NonNullable<PluginHandle[Name]> | null }> {
  readonly nodeType: string;
  /** The executor, loaded on the first call. @throws Error if it can't be loaded */
  getExecutor(): Promise<NodeExecutor>;
}

/** Finds a node type by its name; null if no loaded plugin has it. */
export type FindNodeType = (nodeType: string) => NodeType | null;

/** Whether a node with these stored parameters is pure. */
export const isPure = ({ pure }: Pick<NodeType, 'pure'>, parameters: JsonObject): boolean => {
  if (typeof pure === 'boolean') return pure;
  try {
    return pure(parameters) === true;
  } catch {
    return false;
  }
};
