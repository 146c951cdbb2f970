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
   * Removes the secrets of all credentials that were lent so far from a JSON value.
   *
   * @returns the value itself when it holds none
   */
  scrub<Value>(value: Value): Value;
}

/** How the credentials of an execution are read. */
interface CredentialReading {
  /** Credentials to read at the same time. */
  readonly credentialIds?: readonly string[];
  /** How long each may wait for a secret store that throttles; two seconds when absent. */
  readonly maxWaitMs?: number;
}

/** Where executions borrow credentials. */
export interface CredentialSource {
  /** Called at the first node with a credential. Does not wait for any. */
  open(reading?: CredentialReading): Promise<ExecutionCredentials>;
  /**
   * Loads credentials before anything of a run is recorded. One that is missing is no error: its node fails.
   *
   * @param maxWaitMs - as in {@link CredentialReading}
   * @throws AppError `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE`
   */
  prefetch(credentialIds: readonly string[], maxWaitMs?: number): Promise<void>;
}
