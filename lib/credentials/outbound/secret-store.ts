import { isAppError } from '../../shared/errors.ts';

/** Stores the secrets of credentials. Every method throws AppError `SECRETS_UNAVAILABLE`. */
export interface SecretStore {
  /**
   * @param maxWaitMs - how long it may wait for a store that throttles; two seconds when absent
   * @returns null when there is none
   */
  get(reference: string, maxWaitMs?: number): Promise<string | null>;
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

/** The cause of a `SECRETS_UNAVAILABLE` that may pass, and says nothing of the secret: the store throttles, fails or is out of reach. */
export class SecretStoreOut extends Error {
  readonly isThrottled: boolean;
  constructor(message: string, { isThrottled, cause }: { isThrottled: boolean; cause?: unknown }) {
    super(message, { cause });
    this.name = 'SecretStoreOut';
    this.isThrottled = isThrottled;
  }
}

/** @returns null for any other error */
export const findOutage = (error: unknown): SecretStoreOut | null =>
  isAppError(error, 'SECRETS_UNAVAILABLE') && error.cause instanceof SecretStoreOut ? error.cause : null;
