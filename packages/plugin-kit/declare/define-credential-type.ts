import type { CredentialContext, CredentialType } from '../contract/credential-type.ts';
import type { HealthCheckResult } from '../contract/plugin.ts';
import type { OutboundRequest } from '../contract/services.ts';
import { toSchema } from './to-schema.ts';
import type { ValueOf } from './value-of.ts';

interface CredentialDeclaration<Schema> extends Pick<CredentialType, 'id' | 'name' | 'description'> {
  /** `Type.Object` of strings. */
  readonly parameters: Schema;
  /** The fields that only the secret store has. */
  readonly secretFields: readonly (keyof ValueOf<Schema> & string)[];
  /** The hosts that its credentials are for, where the type or a field says it; see `CredentialType`. */
  readonly hosts?: readonly string[] | ((fields: ValueOf<Schema>) => readonly string[]);
  /** `apply` replaces the URL of the request. */
  readonly setsUrl?: true;
  /** Applies it to a request. Absent for a type that lends its fields to the node. */
  apply?(
    request: OutboundRequest,
    fields: ValueOf<Schema>,
    context: CredentialContext,
  ): OutboundRequest | Promise<OutboundRequest>;
  /** Finds out whether the other side takes it. */
  test?(fields: ValueOf<Schema>, context: CredentialContext): Promise<HealthCheckResult>;
}

/**
 * Declares a type of credential, whose parameters are typed by their schema.
 *
 * @throws TypeError for a declaration without `parameters`, such as one with the `schema` of a plain `CredentialType`
 */
export const defineCredentialType = <
  const Schema extends { readonly type: 'object'; readonly properties: object },
>({
  parameters,
  ...about
}: CredentialDeclaration<Schema>): CredentialType => {
  if (parameters === undefined)
    throw new TypeError(
      `defineCredentialType: "${about.id}" has no parameters; declare them, such as Type.Object({ token: Type.String() }), in place of the schema of a plain CredentialType`,
    );
  return { ...about, schema: toSchema(parameters) } as object as CredentialType;
};
