import type { Clock } from '@hookloom/plugin-kit';
import { createCache } from '../../shared/cache.ts';
import { LruMap } from '../../shared/lru-map.ts';
import type { OutboundCredential } from './outbound-credential.ts';
import { findOutage, type SecretStore } from './secret-store.ts';

/**
 * The maximum; the minimum is four fifths of it. A rotation with the command line takes effect earlier, since it
 * changes the credential's revision.
 */
const TTL_MS = 10 * 60_000;
/** How long a cached secret is used while the store can't be read. */
const STALE_MS = 60 * 60_000;
const MAX_ENTRIES = 500;

/**
 * Interval between reads of a refused, unchanged secret: at first shorter than the delay before a node's second
 * attempt, at most this long after many.
 */
const FIRST_INTERVAL_MS = 500;
const MAX_INTERVAL_MS = 60_000;

export interface SecretCacheParts {
  readonly secrets: Pick<SecretStore, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
}

type Named = Pick<OutboundCredential, 'reference' | 'revision'>;

/** Caches the secrets managed by the service in this sandbox. Secrets bound with `--ref` are read each time. */
interface SecretCache {
  /**
   * @param maxWaitMs - how long it may wait while the store throttles and nothing is cached
   * @returns null if there is none
   * @throws AppError `SECRETS_UNAVAILABLE`
   */
  get(credential: Named, maxWaitMs?: number): Promise<string | null>;
  /**
   * Gets the secret after a server refused the cached one. It is read again, unless a recent read returned the same
   * value: a permanently wrong secret must not use up the store's quota.
   */
  getAgain(credential: Named): Promise<string | null>;
  /** Replaces the cached secret. */
  set(credential: Named, secret: string): void;
}

/** The last read of a refused secret that returned the same value. */
interface Reading {
  readonly at: number;
  readonly intervalMs: number;
}

export const createSecretCache = ({ secrets, clock, random }: SecretCacheParts): SecretCache => {
  const lookUp = createCache<string | null>({
    ttlMs: TTL_MS,
    maxEntries: MAX_ENTRIES,
    clock,
    random,
    keep: (secret) => secret !== null,
    stale: { maxAgeMs: STALE_MS, mayPass: (error) => findOutage(error) !== null },
  });
  const readings = new LruMap<string, Reading>(MAX_ENTRIES);

  const set = (credential: Named, secret: string | null): void => {
    void lookUp(keyOf(credential), async () => secret, true);
  };

  const isTooSoon = ({ at, intervalMs }: Reading): boolean => {
    const age = clock.now() - at;
    return age >= 0 && age < intervalMs; // clocks can be set back
  };

  return {
    get: ({ reference, revision }, maxWaitMs) =>
      isBound(reference)
        ? secrets.get(reference)
        : lookUp(keyOf({ reference, revision }), (isCovered) =>
            secrets.get(reference, isCovered ? 0 : maxWaitMs),
          ),
    getAgain: async (credential) => {
      const { reference } = credential;
      if (isBound(reference)) return secrets.get(reference);
      const key = keyOf(credential);
      let isNew = false;
      const known = await lookUp(key, async () => {
        const secret = await secrets.get(reference);
        isNew = true;
        return secret;
      });
      const last = readings.get(key);
      if (isNew || (last !== undefined && isTooSoon(last))) return known;
      const current = await secrets.get(reference);
      set(credential, current);
      readings.delete(key);
      if (current !== known) return current;
      const intervalMs =
        last === undefined ? FIRST_INTERVAL_MS : Math.min(last.intervalMs * 2, MAX_INTERVAL_MS);
      readings.set(key, { at: clock.now(), intervalMs });
      return current;
    },
    set,
  };
};

/** Rotating the secret and changing the hosts increment the revision. */
const keyOf = ({ reference, revision }: Named): string => `${revision} ${reference}`;

/** Whether a secret was bound with `--ref`: the service then only reads it. */
export const isBound = (reference: string): boolean => reference.startsWith('arn:');
