import { NodeError } from '../contract/errors.ts';
import type { JsonObject } from '../contract/json.ts';
import type { NodeContext, NodeResult, RunControl } from '../contract/node.ts';
import type {
  ControlTraits,
  CredentialNeed,
  FindOptions,
  HandleKind,
  PluginHandle,
  PluginProvider,
} from '../contract/plugin.ts';
import type { LentCredential } from '../contract/services.ts';
import { createReader } from './read-parameters.ts';
import { toSchema } from './to-schema.ts';
import type { ValueOf } from './type.ts';

/** The schema of a node type's parameters: `Type.Object({ … })`, or JSON Schema `as const`. */
export interface ParametersSchema {
  readonly type: 'object';
  readonly properties: object;
}

/** The credential that a node type uses for its calls. */
export interface CredentialNeeds {
  /** The types of credentials that `credentialId` may name. */
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
  /** The merged input of the node; frozen. */
  readonly input: JsonObject;
  readonly context: NodeContext;
  readonly credential: Needs extends { readonly required: true } ? LentCredential : LentCredential | null;
  /** Operations for a node type with `control`; null for all others. */
  readonly control: undefined extends Control ? null : RunControl;
}

/** What finds options for parameters, by name of the parameter, while a workflow is edited. */
export type OptionsOf<Schema> = { readonly [Name in keyof ValueOf<Schema>]?: FindOptions };

/** The declaration of a node type: a handle with typed parameters. */
interface NodeDeclaration<
  Schema extends ParametersSchema,
  Needs extends CredentialNeeds | undefined,
  Control extends ControlTraits | undefined,
> extends Omit<
    PluginHandle,
    'kind' | 'schema' | 'credentialTypes' | 'credentialRequired' | 'control' | 'execute' | 'options'
  > {
  /** A required parameter that has a default may be absent in a workflow: see `Type`. */
  readonly parameters: Schema;
  readonly credentials?: Needs;
  readonly options?: OptionsOf<Schema>;
  readonly control?: Control;
  execute(call: NodeCall<Schema, Needs, Control>): NodeResult | Promise<NodeResult>;
}

/** Declares a node type that does something in a workflow. */
export const defineAction = <
  const Schema extends ParametersSchema,
  const Needs extends CredentialNeeds | undefined,
  const Control extends ControlTraits | undefined,
>(
  declaration: Omit<NodeDeclaration<Schema, Needs, Control>, 'firedBy'>,
): PluginHandle => defineNodeType('action', declaration);

/**
 * Declares a node type that starts workflows. Its input is what `firedBy` makes of an event, and its output is what the
 * other nodes see. Its credential is for `poll` of `firedBy`: `execute` and `register` make no calls with it and get none.
 */
export const defineTrigger = <
  const Schema extends ParametersSchema,
  const Needs extends CredentialNeeds | undefined,
>(
  declaration: Omit<NodeDeclaration<Schema, Needs, undefined>, 'pure' | 'control' | 'execute'> &
    Pick<NodeDeclaration<Schema, undefined, undefined>, 'execute'>,
): PluginHandle => defineNodeType('trigger', declaration);

const defineNodeType = <
  Schema extends ParametersSchema,
  Needs extends CredentialNeeds | undefined,
  Control extends ControlTraits | undefined,
>(
  kind: HandleKind,
  { parameters: schema, credentials, control, execute, ...about }: NodeDeclaration<Schema, Needs, Control>,
): PluginHandle => {
  const read = createReader(schema);
  return {
    ...about,
    kind,
    schema: toSchema(schema),
    ...toCredentialTraits(credentials),
    ...(control === undefined ? {} : { control }),
    execute: ({ parameters }, input, context) =>
      execute({
        parameters: read(parameters),
        input,
        context,
        credential: kind === 'trigger' ? null : readCredential(context, credentials),
        control: control === undefined ? null : requireControl(context),
      } as NodeCall<Schema, Needs, Control>),
  };
};

/** What a handle says of the credential that it uses. */
export const toCredentialTraits = (
  needs: CredentialNeeds | undefined,
): Pick<PluginHandle, 'credentialTypes' | 'credentialRequired'> | undefined =>
  needs && { credentialTypes: needs.types, credentialRequired: needs.required ?? false };

/** @throws NodeError if a node that always needs a credential has none */
export const readCredential = (
  { credential }: NodeContext,
  needs: CredentialNeeds | undefined,
): LentCredential | null => {
  if (credential === null && needs?.required === true) {
    const message = `the node needs a credential of the type ${needs.types.join(' or ')}`;
    throw new NodeError(message, { isRetryable: false });
  }
  return credential;
};

const requireControl = ({ control }: NodeContext) => {
  if (control === null) throw new Error('the node is a control node, but its context has no control');
  return control;
};

/** Declares a plugin: the default export of its module. */
export const definePlugin = (provider: PluginProvider): PluginProvider => provider;
