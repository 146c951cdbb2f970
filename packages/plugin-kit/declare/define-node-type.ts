import type { LentCredential } from '../contract/credential-type.ts';
import type { NodeContext } from '../contract/node.ts';
import { NodeError } from '../contract/node-error.ts';
import type { ControlTraits, HandleKind, PluginHandle, PluginProvider } from '../contract/plugin.ts';
import type { CredentialNeeds, NodeCall, NodeDeclaration, ParametersSchema } from './node-call.ts';
import { createReader } from './read-parameters.ts';
import { toSchema } from './to-schema.ts';

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
 * other nodes see.
 */
export const defineTrigger = <
  const Schema extends ParametersSchema,
  const Needs extends CredentialNeeds | undefined,
>(
  declaration: Omit<NodeDeclaration<Schema, Needs, undefined>, 'pure' | 'control'>,
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
    ...(credentials === undefined
      ? {}
      : { credentialTypes: credentials.types, credentialRequired: credentials.required ?? false }),
    ...(control === undefined ? {} : { control }),
    execute: ({ parameters }, input, context) =>
      execute({
        parameters: read(parameters),
        input,
        context,
        credential: readCredential(context, credentials),
        control: control === undefined ? null : requireControl(context),
      } as NodeCall<Schema, Needs, Control>),
  };
};

const readCredential = (
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
