import type { JsonObject } from './json.ts';
import type { Clock, HttpClient, OutboundRequest, TcpClient } from './services.ts';

/** Public and secret fields of a credential, by name. */
export type CredentialFields = Readonly<Record<string, string>>;

/** An AWS role that signs requests. */
export interface AwsRole {
  readonly roleArn: string;
  readonly externalId?: string;
  /** Region of the signature; by default from the request's host. */
  readonly region?: string;
  readonly service?: string;
}

/** A static key that signs requests. */
export interface AwsKeys extends Pick<AwsRole, 'region' | 'service'> {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface CredentialContext {
  readonly http: HttpClient;
  /** Opens connections for the live test of a server that does not speak HTTP. */
  readonly tcp: TcpClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * The fields that a server has just refused, so that nothing derived from them is used again. Absent in the first
   * call.
   */
  readonly rejected?: CredentialFields;
  /**
   * Renews fields of the stored secret, such as an access token, once for all executions that need them: one renews, the
   * others wait and get what it stored. Absent if the service can't change the secret.
   *
   * @returns all fields, with the renewed ones
   */
  readonly renewSecrets?: (renewal: SecretRenewal) => Promise<CredentialFields>;
  /**
   * Signs a request with a role that the service assumes. Absent outside of AWS.
   *
   * @throws AppError `CREDENTIAL_REJECTED` when the service may not assume it
   */
  readonly signWithRole?: (request: OutboundRequest, role: AwsRole) => Promise<OutboundRequest>;
  /** Signs a request with a key (SigV4). Absent in services of earlier releases. */
  readonly signWithKeys?: (request: OutboundRequest, keys: AwsKeys) => Promise<OutboundRequest>;
}

/** How a credential type renews fields of its stored secret. */
export interface SecretRenewal {
  /** Whether stored fields, which another execution may have renewed, need not be renewed. */
  isRenewed(stored: CredentialFields): boolean;
  /**
   * Called by one execution at a time. May take 20 s: after 30 s, another starts.
   *
   * @param sayEnd - says when what renews the secret ends itself, such as a refresh token, in milliseconds since the epoch; null if that
   *   is not known. Not calling it leaves what is known. Absent in services of earlier releases.
   * @returns the fields to change in the stored secret
   */
  renew(stored: CredentialFields, sayEnd?: (end: number | null) => void): Promise<CredentialFields>;
}

/**
 * The result of a plugin's health check. If the check throws, the plugin is `unhealthy`. Put no secrets in `message`.
 */
export interface HealthCheckResult {
  readonly status: 'healthy' | 'warning' | 'unhealthy';
  readonly message?: string;
}

/**
 * An OAuth 2.0 server at which a person signs in (RFC 6749 §4.1). In its URLs, `{name}` stands for a field of the credential that is not
 * secret: `https://{shop}.acme.example/oauth/authorize`.
 */
export interface Oauth2Server {
  /** Where people sign in, with what the server needs in the query to send a refresh token. */
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  /** The scopes that are asked for unless a credential has others; none if the registered app determines them. */
  readonly scopes?: readonly string[];
  /** Where the client id and secret are sent; `header` by default. */
  readonly clientAuthentication?: 'header' | 'body';
}

/** A type of credential for outbound calls. It keeps no state except what is cached under its fields. */
export interface CredentialType {
  /** Unique among the installed plugins, such as `httpBearer`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object with string properties: its fields, public and secret. */
  readonly schema: JsonObject;
  /** The fields that are stored only in the secret store. */
  readonly secretFields: readonly string[];
  /**
   * The hosts that its credentials are for, if the type or a field determines them: patterns such as `api.example.com`,
   * `*.example.com` or `api.example.com:8443`. They are stored when a credential is created or rotated. If absent, the
   * operator names them. A request to any other host fails before `apply` is called.
   */
  readonly hosts?: readonly string[] | ((fields: CredentialFields) => readonly string[]);
  /**
   * The fields of a sign-in, as the type `oauth2` has them, for a credential that a person signs in for: `authorizationUrl`,
   * `tokenUrl`, `clientId`, `scope` and `clientAuthentication`; null for any other. Absent for a type without a sign-in.
   */
  readonly toSignIn?: (fields: CredentialFields) => CredentialFields | null;
  /**
   * Set if `apply` replaces the URL of the request. Then the host that it returns is checked instead of the host that
   * it was given.
   */
  readonly setsUrl?: true;
  /**
   * Adds the credential to a request. Absent if the node reads the fields itself. If it throws AppError
   * `CREDENTIAL_REJECTED`, the service fetches the credential again and calls it once more.
   */
  readonly apply?: (
    request: OutboundRequest,
    fields: CredentialFields,
    context: CredentialContext,
  ) => OutboundRequest | Promise<OutboundRequest>;
  /** A live test, for `credential test` and the health report. Put no secrets in its message; change nothing outside. */
  readonly test?: (fields: CredentialFields, context: CredentialContext) => Promise<HealthCheckResult>;
}

/**
 * How the hosts of a type's credentials are determined: `none` if the type lends its fields to nodes, `fixed` by the type,
 * `derived` from the fields, or `named` when a credential is created.
 */
export type HostsRule = 'none' | 'fixed' | 'derived' | 'named';

export const findHostsRule = ({ apply, hosts }: Pick<CredentialType, 'apply' | 'hosts'>): HostsRule => {
  if (hosts === undefined) return apply === undefined ? 'none' : 'named';
  return typeof hosts === 'function' ? 'derived' : 'fixed';
};
