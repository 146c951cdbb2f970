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
}
