import type { Credential } from './credential.ts';

/** Every method throws AppError `STORE_UNAVAILABLE` when the store can't be reached. */
export interface CredentialStore {
  find(credentialId: string): Promise<Credential | null>;
  /**
   * Replaces `revision - 1` of the credential; revision 1 creates it.
   * @throws AppError `CREDENTIAL_CHANGED` when the store has a different revision
   */
  put(credential: Credential): Promise<void>;
  list(): Promise<Credential[]>;
}
