import type { JsonObject } from './json.ts';
import type { NodeExecutor } from './node.ts';
import type { ControlTraits, HandleKind, NodeOutputs, TriggerSource } from './plugin.ts';

/** What the engine and the validation know of a node type, whichever plugin API it came through. */
export interface NodeType {
  readonly nodeType: string;
  readonly kind: HandleKind;
  /** See `PluginHandle.pure`: only what is not pure is a remembered step. */
  readonly pure: boolean;
  /** Null for all that do not steer the run. */
  readonly control: ControlTraits | null;
  /** See `PluginHandle`; defaults are filled in. */
  readonly outputs: NodeOutputs;
  readonly inputs: readonly string[];
  readonly endsBranch: boolean;
  readonly credentialTypes: readonly string[];
  /** Null for actions, and for triggers that nothing fires. */
  readonly firedBy: TriggerSource | null;
  /** JSON Schema of the node's `parameters`. */
  readonly schema: JsonObject;
  /** Loads the executor on the first call and answers with the same one from then on; rejects when it can't be loaded. */
  getExecutor(): Promise<NodeExecutor>;
}

/** Finds a node type by its name; null when no loaded plugin brings it. */
export type FindNodeType = (nodeType: string) => NodeType | null;
