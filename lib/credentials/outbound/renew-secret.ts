import { randomUUID } from 'node:crypto';
import { CREDENTIAL_BUSY } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { CredentialError } from './load-credential.ts';
import type { OutboundPorts, RenewalRefusal } from './ports.ts';

/** Enough to read the secret and wait for a token endpoint (10 s), or to store the new secret. */
const LEASE_MS = 30_000;
/** Longer than three tries to store a secret. */
const WRITE_MS = 20_000;
/** Outlasts the lease of a process that crashed. */
const MAX_WAIT_MS = LEASE_MS + 5_000;
/** The longest interval between looks at the lock of another; the shortest is half of it. */
const INTERVAL_MS = 400;

type RenewalPorts = Pick<OutboundPorts, 'locks' | 'clock' | 'random'>;

interface Renewal<Secret> {
  read(): Promise<Secret>;
  /** Whether it need not be renewed, since another sandbox has done so. */
  isRenewed(stored: Secret): boolean;
  renew(stored: Secret): Promise<Secret>;
  /** Stores what was renewed. It is not called when an edit, or another sandbox, has taken the lock meanwhile. */
  write(renewed: Secret): Promise<void>;
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
  { locks, clock, random }: RenewalPorts,
  { read, isRenewed, renew, write, toRefusal }: Renewal<Secret>,
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
    const isMine = await locks.take(credentialId, { holder, until: now + LEASE_MS, isWriting: false }, now);
    if (!isMine) await awaitChange();
    let refusal: RenewalRefusal | null = null;
    try {
      const stored = await read();
      if (isRenewed(stored)) return stored;
      if (isMine) {
        const renewed = await renew(stored).catch((error: unknown) => {
          refusal = toRefusal(error, stored);
          throw error;
        });
        if (await beginWriting(credentialId, holder, { locks, clock })) {
          await write(renewed);
          return renewed;
        }
      }
    } finally {
      if (isMine) await locks.release(credentialId, holder, clock.now(), refusal).catch(() => {}); // then it expires
    }
  }
};

/** @returns false if another has taken the lock, or may take it before the secret is written */
const beginWriting = async (
  credentialId: string,
  holder: string,
  { locks, clock }: Pick<OutboundPorts, 'locks' | 'clock'>,
): Promise<boolean> => {
  const until = clock.now() + LEASE_MS;
  return (await locks.beginWriting(credentialId, { holder, until })) && clock.now() + WRITE_MS <= until;
};

/** Longer than a renewal waits for a token endpoint (10 s): what it gets may replace a refresh token, which is kept. */
const PATIENCE_MS = 12_000;
/** Leaves the function of the admin API enough time for the edit. */
const MAX_EDIT_WAIT_MS = 18_000;

/**
 * Changes a credential while neither a renewal nor another edit does. Waits for a renewal to end, and takes the
 * lock over from one that is too slow, whose result is then not stored.
 *
 * @param edit - must call its argument right before it writes or removes the secret
 * @throws AppError `CREDENTIAL_BUSY` after 18 s, or when its own lock has expired, `STORE_UNAVAILABLE`, and what `edit` throws
 */
export const editInTurn = async <Result>(
  credentialId: string,
  { locks, clock, random }: RenewalPorts,
  edit: (beginWriting: () => Promise<void>) => Promise<Result>,
): Promise<Result> => {
  const holder = randomUUID();
  const startedAt = clock.now();
  const { refusal = null } = (await locks.find(credentialId)) ?? {};
  for (;;) {
    const now = clock.now();
    const take = now - startedAt < PATIENCE_MS ? locks.take : locks.takeOver;
    if (await take(credentialId, { holder, until: now + LEASE_MS, isWriting: true }, now)) break;
    if (now - startedAt >= MAX_EDIT_WAIT_MS) throw new AppError(CREDENTIAL_BUSY, { credentialId });
    await clock.sleep(INTERVAL_MS * (0.5 + random() / 2));
  }
  let isEdited = false;
  try {
    const edited = await edit(async () => {
      if (!(await beginWriting(credentialId, holder, { locks, clock })))
        throw new AppError(CREDENTIAL_BUSY, { credentialId });
    });
    isEdited = true;
    return edited;
  } finally {
    const kept = isEdited ? null : refusal;
    await locks.release(credentialId, holder, clock.now(), kept).catch(() => {}); // then it expires
  }
};

const stillRenewing = (id: string): Error =>
  new CredentialError(
    'CredentialUnavailable',
    `other executions have been renewing credential "${id}" for ${MAX_WAIT_MS / 1_000} s`,
  );
