/** A credential lent for one attempt. Its fields are not enumerable, and its JSON has no secrets. */
export interface LentCredential {
  readonly id: string;
  readonly type: string;
  /**
   * Returns the field of this name; empty if it is not set.
   * @throws Error if the type has no such field
   */
  field(name: string): string;
  /**
   * Checks that a credential may be sent to a URL, for a node that does not send the credential through `services`,
   * which do this check themselves.
   * @throws NodeError `CredentialNotForHost` if the credential is not for the URL's host
   */
  checkHost(url: string): void;
  /**
   * Reads the credential again, for a node whose server has refused it: the secret may have been rotated.
   * `services.http` does this by itself.
   * @returns null if it has not changed
   * @throws Error `CredentialMissing`, `CredentialUnusable` or `CredentialUnavailable`
   */
  refresh(): Promise<LentCredential | null>;
}
