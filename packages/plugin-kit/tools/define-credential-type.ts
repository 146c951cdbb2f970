import type {
  CredentialContext,
  CredentialFields,
  CredentialType,
  HealthCheckResult,
  Oauth2Server,
} from '../contract/credential-type.ts';
import { isPlainObject, type JsonObject } from '../contract/json.ts';
import { completeRequest, type OutboundRequest } from '../contract/services.ts';
import { toSchema } from '../declare/to-schema.ts';
import type { ValueOf } from '../declare/type.ts';
import { applyOauth2 } from './oauth2.ts';
import { findServerProblem, PLACE_VALUE, placesOf, toOauth2Fields } from './oauth2-server.ts';

interface CredentialDeclaration<Schema> extends Pick<CredentialType, 'id' | 'name' | 'description'> {
  /** Schema of the parameters: a `Type.Object` of strings. */
  readonly parameters: Schema;
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

/** The fields that are stored only in the secret store. */
interface Secrets<Schema> {
  readonly secretFields: readonly (keyof ValueOf<Schema> & string)[];
  readonly oauth2?: never;
}

/**
 * A server at which a person signs in for each credential, and from which `apply` gets its access tokens. Its fields `clientId`, `clientSecret` and
 * `scope` are added to the parameters.
 */
interface SignedIn<Schema> extends Partial<Pick<Secrets<Schema>, 'secretFields'>> {
  readonly oauth2: Oauth2Server & {
    /** Called by the live test with the access token. A status below 400 means that it is accepted. */
    readonly testUrl?: string;
  };
  readonly apply?: never;
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
  oauth2,
  ...about
}: CredentialDeclaration<Schema> & (Secrets<Schema> | SignedIn<Schema>)): CredentialType => {
  if (parameters === undefined)
    throw new TypeError(
      `defineCredentialType: "${about.id}" has no parameters; declare them, such as Type.Object({ token: Type.String() }), instead of the schema of a plain CredentialType`,
    );
  const schema = toSchema(parameters);
  const declared = { ...about, schema } as object as CredentialType;
  return oauth2 === undefined ? declared : addSignIn(declared, oauth2);
};

const kept = { type: 'string', readOnly: true, description: 'Stored by the service' };

const addSignIn = (
  { schema, secretFields = [], ...type }: CredentialType,
  { testUrl, ...server }: SignedIn<unknown>['oauth2'],
): CredentialType => {
  const own = (isPlainObject(schema.properties) ? schema.properties : {}) as JsonObject;
  const names = Object.keys(own).filter((name) => !secretFields.includes(name));
  const problem = findServerProblem(server, names);
  if (problem !== null) throw new TypeError(`defineCredentialType: "${type.id}": oauth2: ${problem}`);
  const places = placesOf(server).map((name) => [
    name,
    { pattern: PLACE_VALUE, ...(own[name] as JsonObject) } satisfies JsonObject,
  ]);
  // The same object for the same fields: tokens are remembered by it.
  const known = new WeakMap<CredentialFields, CredentialFields>();
  const complete = (fields: CredentialFields): CredentialFields => {
    const completed = known.get(fields) ?? toOauth2Fields(server, fields);
    known.set(fields, completed);
    return completed;
  };
  const apply = (request: OutboundRequest, fields: CredentialFields, context: CredentialContext) => {
    const { renewSecrets, rejected } = context;
    return applyOauth2(request, complete(fields), {
      ...context,
      ...(rejected && { rejected: complete(rejected) }),
      ...(renewSecrets && {
        renewSecrets: ({ isRenewed, renew }) =>
          renewSecrets({
            isRenewed: (stored) => isRenewed(complete(stored)),
            renew: (stored, sayEnd) => renew(complete(stored), sayEnd),
          }),
      }),
    });
  };
  return {
    test: (fields, context) => testSignIn(testUrl, apply, fields, context),
    ...type,
    schema: {
      ...schema,
      properties: {
        ...own,
        ...Object.fromEntries(places),
        clientId: {
          type: 'string',
          minLength: 1,
          description: 'Id of the app that is registered at the server',
        },
        clientSecret: { type: 'string', description: 'Secret of the app; none for a public client' },
        scope: {
          type: 'string',
          ...(server.scopes && { default: server.scopes.join(' ') }),
          description: 'Scopes that are asked for, separated by spaces',
        },
        refreshToken: kept,
        accessToken: kept,
        accessTokenExpiresAt: kept,
      },
      required: [...(Array.isArray(schema.required) ? schema.required : []), 'clientId'],
    },
    secretFields: [...secretFields, 'clientSecret', 'refreshToken', 'accessToken'],
    toSignIn: complete,
    apply,
  };
};

const testSignIn = async (
  url: string | undefined,
  apply: NonNullable<CredentialType['apply']>,
  fields: CredentialFields,
  context: CredentialContext,
): Promise<HealthCheckResult> => {
  const { signal } = context;
  const { headers } = await apply(
    completeRequest({ url: url ?? 'https://example.com/', signal }),
    fields,
    context,
  );
  if (url === undefined) return { status: 'healthy', message: 'its access token was not tried' };
  const { status } = await context.http.request({ url, headers, signal });
  const message = `${new URL(url).host} answered ${status}`;
  return { status: status < 400 ? 'healthy' : 'unhealthy', message };
};
