import { randomUUID } from 'node:crypto';
import type { Clock } from '@hookloom/plugin-kit';
import { CredentialError } from './load-credential.ts';

/** A holder may renew the secret of a credential; no other may until the lock ends. */
interface RenewalLock {
  readonly holder: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Why a server refused the last renewal. */
export interface RenewalRefusal {
  readonly reason: string;
  /** Of the credential that was refused: a later one is another secret. */
  readonly revision: number;
}

/** Locks that all sandboxes share, one per credential. All methods throw AppError `STORE_UNAVAILABLE`. */
export interface RenewalLocks {
  /** Finds a lock, with all changes; null if it was never taken. */
  find(credentialId: string): Promise<(RenewalLock & { readonly refusal: RenewalRefusal | null }) | null>;
  /** @returns false while another holds the lock at `now`, in milliseconds since the epoch */
  take(credentialId: string, lock: RenewalLock, now: number): Promise<boolean>;
  /**
   * Releases the lock, unless another has taken it since.
   * @param now - milliseconds since the epoch
   * @param refusal - is kept until the next renewal; null if there is none
   */
  release(credentialId: string, holder: string, now: number, refusal: RenewalRefusal | null): Promise<void>;
}

/** Enough to read the secret, wait for a token endpoint (10 s) and store the new secret. */
const LEASE_MS = 30_000;
/** Outlasts the lease of a process that crashed. */
const MAX_WAIT_MS = LEASE_MS + 5_000;
/** The longest interval between looks at the lock of another; the shortest is half of it. */
const INTERVAL_MS = 400;

export interface RenewalParts {
  readonly locks: RenewalLocks;
  readonly clock: Clock;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
}

interface Renewal<Secret> {
  read(): Promise<Secret>;
  /** Whether it need not be renewed, since another sandbox has done so. */
  isRenewed(stored: Secret): boolean;
  /** @returns what it has stored */
  renew(stored: Secret): Promise<Secret>;
  /** @returns null if the server did not refuse what is stored */
  toRefusal(error: unknown, stored: Secret): RenewalRefusal | null;
}

/**
 * Renews the secret of a credential in one sandbox at a time. All others wait for it, watching the lock, since the
 * secret store answers few reads per second, and use what it stored.
 *
 * @throws CredentialError `CredentialUnavailable` after 35 s, AppError `STORE_UNAVAILABLE`, and what its callbacks throw
 */
export const renewInTurn = async <Secret>(
  credentialId: string,
  { locks, clock, random }: RenewalParts,
  { read, isRenewed, renew, toRefusal }: Renewal<Secret>,
): Promise<Secret> => {
  const holder = randomUUID();
  const giveUpAt = clock.now() + MAX_WAIT_MS;

  /** @returns null if the lock was released or has expired */
  const findHolder = async (): Promise<string | null> => {
    const { holder: current = null, until = 0 } = (await locks.find(credentialId)) ?? {};
    return clock.now() < until ? current : null;
  };

  /** Waits until the lock is released, has expired or is held by yet another. */
  const awaitChange = async (): Promise<void> => {
    const before = await findHolder();
    for (let current = before; current !== null && current === before; current = await findHolder()) {
      if (clock.now() >= giveUpAt) throw stillRenewing(credentialId);
      await clock.sleep(INTERVAL_MS * (0.5 + random() / 2));
    }
  };

  for (;;) {
    const now = clock.now();
    if (now >= giveUpAt) throw stillRenewing(credentialId);
    const isMine = await locks.take(credentialId, { holder, until: now + LEASE_MS }, now);
    if (!isMine) await awaitChange();
    let refusal: RenewalRefusal | null = null;
    try {
      const stored = await read();
      if (isRenewed(stored)) return stored;
      if (isMine)
        return await renew(stored).catch((error: unknown) => {
          refusal = toRefusal(error, stored);
          throw error;
        });
    } finally {
      if (isMine) await locks.release(credentialId, holder, clock.now(), refusal).catch(() => {}); // then it expires
    }
  }
};

const stillRenewing = (id: string): Error =>
  new CredentialError(
    'CredentialUnavailable',
    `other executions have been renewing credential "${id}" for ${MAX_WAIT_MS / 1_000} s`,
  );
