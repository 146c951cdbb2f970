/**
 * One live secret of a credential. Only hashes are kept: SHA-256 for what we generated (256 random bits),
 * scrypt (RFC 7914) for a password that a person chose. All values base64url.
 */
export type SecretHash =
  | { readonly algorithm: 'sha256'; readonly hash: string }
  | { readonly algorithm: 'scrypt'; readonly hash: string; readonly salt: string; readonly cost: number };

export interface CredentialSecret {
  /** Names the secret in lists and for `revoke`; says nothing of its value. */
  readonly id: string;
  readonly createdAt: string;
  readonly hash: SecretHash;
}

/** Named inbound secret material. Several secrets may be live at once, so that they can be rotated. */
export interface Credential {
  readonly id: string;
  readonly type: 'apiKey' | 'basic';
  /** For `basic`; null for `apiKey`. */
  readonly username: string | null;
  readonly secrets: readonly CredentialSecret[];
  /** Counts changes; a write is conditional on it. */
  readonly revision: number;
}
