import type { Credential } from './credential.ts';

/** All methods reject with {@link AppError} `STORE_UNAVAILABLE` when the store can't be had. */
export interface CredentialStore {
  find(credentialId: string): Promise<Credential | null>;
  /**
   * Stores the credential at `revision`, replacing `revision - 1`; revision 1 must be new.
   * Rejects with `CREDENTIAL_CHANGED` when that is not what the store holds.
   */
  put(credential: Credential): Promise<void>;
  list(): Promise<Credential[]>;
}
