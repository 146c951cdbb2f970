import type { JsonObject } from './json.ts';
import type { NodeExecutor } from './node.ts';
import type {
  AwsCalls,
  CheckParameters,
  ControlTraits,
  CredentialNeed,
  CredentialTypesFor,
  HandleKind,
  NodeOutputs,
  Purity,
  TriggerSource,
} from './plugin.ts';

/** A node type as the engine and the validation use it, the same for both plugin APIs. */
export interface NodeType {
  readonly nodeType: string;
  readonly kind: HandleKind;
  /** Whether a node is pure: see `PluginHandle.pure`. Only nodes that are not pure are steps with checkpoints. */
  readonly pure: Purity;
  /** The traits of a control node; null for other nodes. */
  readonly control: ControlTraits | null;
  /**
   * Parameters whose braces are no expressions. For this field and the next eight, see `PluginHandle`; defaults are
   * filled in.
   */
  readonly literalParameters: readonly string[];
  readonly checkParameters: CheckParameters | null;
  readonly outputs: NodeOutputs;
  readonly inputs: readonly string[];
  readonly endsBranch: boolean;
  readonly credentialTypes: readonly string[];
  readonly credentialRequired: CredentialNeed;
  readonly credentialTypesFor: CredentialTypesFor | null;
  readonly awsCalls: AwsCalls | null;
  /** What fires the trigger; null for actions, and for triggers that nothing fires. */
  readonly firedBy: TriggerSource | null;
  /** JSON Schema of the node's `parameters`. */
  readonly schema: JsonObject;
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
