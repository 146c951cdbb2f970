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
   * Reads the credential again, for a node whose server has refused it: its secret may have been rotated. What
   * `services.http` sends is refreshed without.
   *
   * @returns null when it has not changed
   * @throws Error `CredentialMissing`, `CredentialUnusable` or `CredentialUnavailable`
   */
  refresh(): Promise<LentCredential | null>;
}
