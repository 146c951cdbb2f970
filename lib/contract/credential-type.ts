import type { JsonObject } from './json.ts';
import type { HealthCheckResult } from './plugin.ts';
import type { Clock, HttpClient, OutboundRequest } from './services.ts';

/** Public and secret fields, by name. */
export type CredentialFields = Readonly<Record<string, string>>;

export interface CredentialContext {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A type of credential, declared by a plugin. */
export interface CredentialType {
  /** Such as `httpBearer`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its fields: strings only. */
  readonly schema: JsonObject;
  /** Names of the fields that only the secret store has. */
  readonly secretFields: readonly string[];
  /** Applies it to a request. Absent for a type that lends its fields to the node. */
  readonly apply?: (
    request: OutboundRequest,
    fields: CredentialFields,
    context: CredentialContext,
  ) => OutboundRequest | Promise<OutboundRequest>;
  readonly test?: (fields: CredentialFields, context: CredentialContext) => Promise<HealthCheckResult>;
}

/** A credential, lent for one attempt. Its fields are not enumerable and its JSON has no secrets. */
export interface LentCredential {
  readonly id: string;
  readonly type: string;
  field(name: string): string;
}
