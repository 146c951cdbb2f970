import type { LentCredential } from '../contract/credential-type.ts';
import type { JsonObject } from '../contract/json.ts';
import type { NodeContext, NodeResult, RunControl } from '../contract/node.ts';
import type { ControlTraits, CredentialNeed, PluginHandle } from '../contract/plugin.ts';
import type { ValueOf } from './value-of.ts';

/** The schema of a node type's parameters: `Type.Object({ … })`, or JSON Schema `as const`. */
export interface ParametersSchema {
  readonly type: 'object';
  readonly properties: object;
}

/** The credential that a node type uses for its calls. */
export interface CredentialNeeds {
  /** The types that `credentialId` may name. */
  readonly types: readonly string[];
  /**
   * Whether the node needs a credential, always or depending on its stored parameters. A workflow that lacks it is
   * refused. False by default.
   */
  readonly required?: CredentialNeed;
}

/** Argument of a declared `execute`. */
export interface NodeCall<
  Schema,
  Needs extends CredentialNeeds | undefined,
  Control extends ControlTraits | undefined,
> {
  /** Expressions are resolved, defaults filled in, and the values checked. */
  readonly parameters: ValueOf<Schema>;
  /** The merged input; frozen. */
  readonly input: JsonObject;
  readonly context: NodeContext;
  readonly credential: Needs extends { readonly required: true } ? LentCredential : LentCredential | null;
  /** Operations for a node type with `control`; null for all others. */
  readonly control: undefined extends Control ? null : RunControl;
}

/** The declaration of a node type: a handle with typed parameters. */
export interface NodeDeclaration<
  Schema extends ParametersSchema,
  Needs extends CredentialNeeds | undefined,
  Control extends ControlTraits | undefined,
> extends Omit<
    PluginHandle,
    'kind' | 'schema' | 'credentialTypes' | 'credentialRequired' | 'control' | 'execute'
  > {
  /** A required parameter that has a default may be absent in a workflow: see `Type`. */
  readonly parameters: Schema;
  readonly credentials?: Needs;
  readonly control?: Control;
  execute(call: NodeCall<Schema, Needs, Control>): NodeResult | Promise<NodeResult>;
}
