import { isAppError } from '../../shared/errors.ts';

/** Stores the secrets of credentials. Every method throws AppError `SECRETS_UNAVAILABLE`. */
export interface SecretStore {
  /**
   * Reads a secret.
   * @param maxWaitMs - how long it may wait for a throttling store; two seconds by default
   * @returns null if there is none
   */
  get(reference: string, maxWaitMs?: number): Promise<string | null>;
  /** The reference of a secret managed by the service. @param name - id of the secret's credential */
  referenceOf(name: string): string;
  /** Adds or replaces a secret managed by the service. @returns its reference, see {@link SecretStore.referenceOf} */
  put(name: string, value: string): Promise<string>;
  /** Removes a secret managed by the service; no error if it does not exist. */
  remove(reference: string): Promise<void>;
}

/** Whether a secret is one of Secrets Manager, bound with `--ref`: the service only reads it. */
export const isBound = (reference: string): boolean => reference.startsWith('arn:');

/** The cause of a transient `SECRETS_UNAVAILABLE` that is unrelated to the secret: the store throttles, fails or is unreachable. */
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
