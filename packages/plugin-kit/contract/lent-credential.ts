/** A credential, lent for one attempt. Its fields are not enumerable and its JSON has no secrets. */
export interface LentCredential {
  readonly id: string;
  readonly type: string;
  /**
   * A field by its name; empty when it is not set.
   *
   * @throws Error when the type has no such field
   */
  field(name: string): string;
  /**
   * For a node that sends the credential by other means than `services`, which do this themselves.
   *
   * @throws NodeError `CredentialNotForHost` when the host of the URL is none of those that the credential is for
   */
  checkHost(url: string): void;
  /**
   * Reads the credential again, for a node whose server has refused it: its secret may have been rotated. What
   * `services.http` sends is refreshed without.
   *
   * @returns null when it has not changed
   * @throws Error `CredentialMissing`, `CredentialUnusable` or `CredentialUnavailable`
   */
  refresh(): Promise<LentCredential | null>;
}
