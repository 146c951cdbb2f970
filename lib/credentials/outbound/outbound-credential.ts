import type { CredentialFields } from '@hookloom/plugin-kit';

/** A credential for calling out, without its secret. */
export interface OutboundCredential {
  readonly id: string;
  /** Id of its credential type. */
  readonly type: string;
  /** The public fields. */
  readonly fields: CredentialFields;
  /** The hosts that it is for, as in `isForHost`; null for one that was created without: it goes to any host. */
  readonly hosts: readonly string[] | null;
  /** Where the secret is: see {@link SecretStore}. */
  readonly reference: string;
  /** Number of changes; a write is conditional on it. */
  readonly revision: number;
}

/** Shares its ids with the inbound credentials. Every method throws AppError `STORE_UNAVAILABLE`. */
export interface OutboundCredentialStore {
  find(credentialId: string): Promise<OutboundCredential | null>;
  /**
   * Replaces `revision - 1` of the credential; revision 1 creates it.
   *
   * @throws AppError `CREDENTIAL_CHANGED` when the store holds another revision, or an inbound credential
   */
  put(credential: OutboundCredential): Promise<void>;
  /** @returns false when there is none */
  remove(credentialId: string): Promise<boolean>;
  list(): Promise<OutboundCredential[]>;
}
