import type { CredentialContext, CredentialType, HealthCheckResult } from '../contract/credential-type.ts';
import type { OutboundRequest } from '../contract/services.ts';
import { toSchema } from './to-schema.ts';
import type { ValueOf } from './type.ts';

interface CredentialDeclaration<Schema> extends Pick<CredentialType, 'id' | 'name' | 'description'> {
  /** Schema of the parameters: a `Type.Object` of strings. */
  readonly parameters: Schema;
  /** The fields that are stored only in the secret store. */
  readonly secretFields: readonly (keyof ValueOf<Schema> & string)[];
  /** The hosts that its credentials are for, if the type or a field determines them: see `CredentialType`. */
  readonly hosts?: readonly string[] | ((fields: ValueOf<Schema>) => readonly string[]);
  /** Set if `apply` replaces the URL of the request. */
  readonly setsUrl?: true;
  /** Adds the credential to a request. Absent if the node reads the fields itself. */
  apply?(
    request: OutboundRequest,
    fields: ValueOf<Schema>,
    context: CredentialContext,
  ): OutboundRequest | Promise<OutboundRequest>;
  /** Finds out whether the server accepts it. */
  test?(fields: ValueOf<Schema>, context: CredentialContext): Promise<HealthCheckResult>;
}

/**
 * Declares a type of credential. Its schema gives its parameters their types.
 * @throws TypeError if the declaration has no `parameters`, for instance because it has the `schema` of a plain
 * `CredentialType`
 */
export const defineCredentialType = <
  const Schema extends { readonly type: 'object'; readonly properties: object },
>({
  parameters,
  ...about
}: CredentialDeclaration<Schema>): CredentialType => {
  if (parameters === undefined)
    throw new TypeError(
      `defineCredentialType: "${about.id}" has no parameters; declare them, such as Type.Object({ token: Type.String() }), instead of the schema of a plain CredentialType`,
    );
  return { ...about, schema: toSchema(parameters) } as object as CredentialType;
};
