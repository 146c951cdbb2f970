/** Hash of a secret: SHA-256 for 256 random bits, scrypt (RFC 7914) for a human-chosen password. Values in base64url. */
export type SecretHash =
  | { readonly algorithm: 'sha256'; readonly hash: string }
  | { readonly algorithm: 'scrypt'; readonly hash: string; readonly salt: string; readonly cost: number };

export interface CredentialSecret {
  /** Identifies the secret in lists and for `revoke`; independent of its value. */
  readonly id: string;
  readonly createdAt: string;
  readonly hash: SecretHash;
}

/** Named inbound secret material. Several secrets may be live at once, for rotation. */
export interface Credential {
  readonly id: string;
  readonly type: 'apiKey' | 'basic';
  /** The user name for `basic`; null for `apiKey`. */
  readonly username: string | null;
  readonly secrets: readonly CredentialSecret[];
  /** When its secrets expire, as an operator has said: ISO 8601, UTC. Nothing but a notice follows from it. Absent if not known. */
  readonly expiresAt?: string;
  /** Number of changes; a write is conditional on it. */
  readonly revision: number;
}

/** Returns a credential whose secret expires then; null or undefined if that is not known. */
export const withExpiry = <Expiring extends Pick<Credential, 'expiresAt'>>(
  credential: Expiring,
  expiresAt: string | null | undefined,
): Expiring => {
  const { expiresAt: _former, ...kept } = credential;
  return { ...kept, ...(expiresAt == null ? {} : { expiresAt }) } as Expiring;
};

/** Every method throws AppError `STORE_UNAVAILABLE` when the store can't be reached. */
export interface CredentialStore {
  find(credentialId: string): Promise<Credential | null>;
  /**
   * Replaces `revision - 1` of the credential; revision 1 creates it.
   * @throws AppError `CREDENTIAL_CHANGED` when the store has a different revision
   */
  put(credential: Credential): Promise<void>;
  /** Removes this revision of the credential. @returns false if it was changed or does not exist */
  remove(credential: Pick<Credential, 'id' | 'revision'>): Promise<boolean>;
  list(): Promise<Credential[]>;
}
