import type { LentCredential } from '@hookloom/plugin-kit';

/** The credentials that one execution borrows. */
export interface ExecutionCredentials {
  /**
   * Lends a credential for one attempt.
   *
   * @param types - the types that the node takes
   * @throws Error `CredentialMissing`, `CredentialUnusable` or `CredentialUnavailable`
   */
  lend(credentialId: string, types: readonly string[]): Promise<LentCredential>;
  /**
   * Removes the secrets of all credentials lent so far from a JSON value.
   * @returns the value itself when it holds none
   */
  scrub<Value>(value: Value): Value;
}

/** How the credentials of an execution are read. */
interface CredentialReading {
  /** Credentials to read together with the first one. */
  readonly credentialIds?: readonly string[];
  /** How long, in milliseconds, each may wait while the secret store throttles; 2,000 if absent. */
  readonly maxWaitMs?: number;
}

/** Where executions borrow credentials. */
export interface CredentialSource {
  /** Called at the first node that has a credential. Does not wait for credentials to load. */
  open(reading?: CredentialReading): Promise<ExecutionCredentials>;
  /**
   * Loads credentials before anything about a run is recorded. A missing credential is no error here: its node fails
   * later.
   * @param maxWaitMs - as in {@link CredentialReading}
   * @throws AppError `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE`
   */
  prefetch(credentialIds: readonly string[], maxWaitMs?: number): Promise<void>;
}
