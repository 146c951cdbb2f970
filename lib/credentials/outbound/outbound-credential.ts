import type { CredentialFields } from '@hookloom/plugin-kit';
import type { CallLimits } from '../limits/call-limits.ts';

/** An outbound credential, without its secret. */
export interface OutboundCredential {
  readonly id: string;
  /** Id of its credential type. */
  readonly type: string;
  /** The fields that are not secret. */
  readonly fields: CredentialFields;
  /**
   * The hosts that the credential is limited to, as in `isForHost`; null if it was created without hosts: it is then
   * sent to any host.
   */
  readonly hosts: readonly string[] | null;
  /** Limits on the calls that are sent with it; absent if there are none. */
  readonly limits?: CallLimits;
  /** When its secret expires: see `Credential`. */
  readonly expiresAt?: string;
  /** Where the secret is stored: see {@link SecretStore}. */
  readonly reference: string;
  /** Number of changes; a write is conditional on it. */
  readonly revision: number;
}

/** Shares ids with the inbound credentials. Every method throws AppError `STORE_UNAVAILABLE`. */
export interface OutboundCredentialStore {
  find(credentialId: string): Promise<OutboundCredential | null>;
  /** Finds a credential with all changes; `find` may miss the latest. */
  findLatest(credentialId: string): Promise<OutboundCredential | null>;
  /**
   * Replaces `revision - 1` of the credential; revision 1 creates it.
   *
   * @throws AppError `CREDENTIAL_CHANGED` when the store has a different revision or an inbound credential
   */
  put(credential: OutboundCredential): Promise<void>;
  /** Removes this revision of the credential. @returns false if it was changed or does not exist */
  remove(credential: Pick<OutboundCredential, 'id' | 'revision'>): Promise<boolean>;
  list(): Promise<OutboundCredential[]>;
}
