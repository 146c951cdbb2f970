/** Stores the secrets of credentials. Every method throws AppError `SECRETS_UNAVAILABLE`. */
export interface SecretStore {
  /** @returns null when there is none */
  get(reference: string): Promise<string | null>;
  /**
   * Adds or replaces a secret of the service's own.
   *
   * @param name - id of its credential
   * @returns its reference, the same for the same name
   */
  put(name: string, value: string): Promise<string>;
  /** Removes a secret of the service's own; no error when there is none. */
  remove(reference: string): Promise<void>;
}
