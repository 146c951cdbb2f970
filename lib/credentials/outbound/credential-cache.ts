import { isDeepStrictEqual } from 'node:util';
import type { CredentialFields, SecretRenewal } from '@hookloom/plugin-kit';
import { createCache, LruMap } from '../../shared/cache.ts';
import { isAppError } from '../../shared/errors.ts';
import {
  CredentialError,
  findShortSecret,
  type LoadedCredential,
  loadCredential,
} from './load-credential.ts';
import {
  findTokenEnd,
  type OutboundCredential,
  type OutboundCredentialStore,
} from './outbound-credential.ts';
import type { OutboundPorts } from './ports.ts';
import { renewInTurn } from './renew-secret.ts';
import { findOutage, isBound } from './secret-store.ts';

/** How long a sandbox caches a credential; its secret may come from a longer-lived cache. */
const TTL_MS = 60_000;
const MAX_ENTRIES = 500;

type CachePorts = Pick<OutboundPorts, 'secrets' | 'locks' | 'clock' | 'random' | 'findType'> & {
  readonly store: Pick<OutboundCredentialStore, 'find' | 'findLatest' | 'noteTokenEnd'>;
};

/** The credentials of this sandbox. As long as fields do not change, they are the same object. */
export interface CredentialCache {
  /**
   * Throws like `loadCredential`; failures are not cached.
   *
   * @param maxWaitMs - see {@link SecretStore.get}
   */
  find(id: string, maxWaitMs?: number): Promise<LoadedCredential>;
  /** Finds several credentials as `find` does; their secrets are read in one batch. */
  findAll(ids: readonly string[], maxWaitMs?: number): Promise<LoadedCredential>[];
  /** Loads a credential again, unless its fields already differ from the rejected ones. Throws like `find`. */
  refresh(id: string, rejected: CredentialFields): Promise<LoadedCredential>;
  /**
   * Renews fields of a stored secret: see {@link renewInTurn}. The cached credential has them even if storing fails.
   * @returns all fields
   */
  renew(id: string, renewal: SecretRenewal): Promise<CredentialFields>;
}

interface Entry {
  readonly loaded: Promise<LoadedCredential>;
  readonly loadedAt: number;
}

export const createCredentialCache = (ports: CachePorts): CredentialCache => {
  const { secrets, clock, store } = ports;
  const cached = createSecretCache(ports);
  const entries = new LruMap<string, Entry>(MAX_ENTRIES);

  const keep = (id: string, loading: Promise<LoadedCredential>): Promise<LoadedCredential> => {
    const entry = { loaded: loading, loadedAt: clock.now() };
    entries.set(id, entry);
    loading.catch(() => {
      if (entries.get(id) === entry) entries.delete(id);
    });
    return loading;
  };

  const findFresh = (id: string): Promise<LoadedCredential> | undefined => {
    const known = entries.get(id);
    return known !== undefined && isYounger(known.loadedAt, TTL_MS, clock) ? known.loaded : undefined;
  };

  /** Preserves the identity of unchanged fields: values derived from them, such as an access token, stay valid. */
  const load = async (
    id: string,
    maxWaitMs: number | undefined,
    from: Pick<OutboundCredentialStore, 'find'>,
  ): Promise<LoadedCredential> => {
    const before = entries.get(id)?.loaded;
    const loaded = await loadCredential(id, { ...ports, store: from }, (record) =>
      cached.get(record, maxWaitMs),
    );
    const known = await before?.catch(() => undefined);
    return known !== undefined && isSameCredential(known, loaded)
      ? { ...loaded, fields: known.fields }
      : loaded;
  };

  const find = (
    id: string,
    maxWaitMs?: number,
    from: Pick<OutboundCredentialStore, 'find'> = store,
  ): Promise<LoadedCredential> => findFresh(id) ?? keep(id, load(id, maxWaitMs, from));

  return {
    find,
    findAll: (ids, maxWaitMs) => {
      const from = findTogether(
        ids.filter((id) => findFresh(id) === undefined),
        store,
      );
      return ids.map((id) => find(id, maxWaitMs, from));
    },
    refresh: async (id, rejected) => {
      const found = find(id);
      const current = await found;
      if (current.fields !== rejected) return current;
      const latest = entries.get(id)?.loaded ?? found; // another caller with the same fields may already be loading
      return latest === found ? keep(id, loadCredential(id, ports, cached.getAgain)) : latest;
    },
    renew: async (id, { isRenewed, renew }) => {
      const use = (loaded: LoadedCredential): void => {
        keep(id, Promise.resolve(loaded));
        cached.set(loaded.record, toSecret(loaded));
      };
      let end: number | null | undefined;
      const latest = await renewInTurn<LoadedCredential>(id, ports, {
        read: () =>
          loadCredential(id, { ...ports, store: { find: store.findLatest } }, ({ reference }) =>
            secrets.get(reference),
          ),
        isRenewed: ({ fields }) => isRenewed(fields),
        renew: async (stored) => {
          const renewed = await renew(stored.fields, (said) => {
            end = said;
          });
          // Stored, it would make the credential unusable from then on.
          const short = findShortSecret(stored.type, renewed);
          if (short !== null)
            throw new CredentialError(
              'CredentialUnusable',
              `the renewal of credential "${id}" gave a secret that can't be redacted reliably, which is not stored: its ${short}`,
            );
          return { ...stored, fields: Object.freeze({ ...stored.fields, ...renewed }) };
        },
        write: async (renewed) => {
          use(renewed);
          await secrets.put(id, toSecret(renewed));
          const { tokenEnd: before } = renewed.record;
          const after = end === undefined ? (before ?? null) : findTokenEnd(before, end, clock.now());
          // The next renewal notes it if this one can't.
          if (!isDeepStrictEqual(after, before ?? null)) await store.noteTokenEnd(id, after).catch(() => {});
        },
        toRefusal: (error, { record: { revision } }) =>
          isAppError(error, 'CREDENTIAL_REJECTED') ? { reason: error.message, revision } : null,
      });
      use(latest);
      return latest.fields;
    },
  };
};

/** The text of a secret with all the fields of a credential that are not in its record. */
const toSecret = ({ record, fields }: LoadedCredential): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(record.fields, name))),
  );

/**
 * A store that reads these credentials in parallel and returns none before it has all, so that their secrets are
 * requested in one batch.
 */
const findTogether = (
  ids: readonly string[],
  store: Pick<OutboundCredentialStore, 'find'>,
): Pick<OutboundCredentialStore, 'find'> => {
  const records = new Map<string, Promise<OutboundCredential | null>>(ids.map((id) => [id, store.find(id)]));
  const all = Promise.allSettled(records.values());
  return {
    find: async (id) => {
      await all;
      return records.get(id) ?? store.find(id);
    },
  };
};

/** Whether a time is less than `maxAgeMs` ago; false for a time in the future, since clocks can be set back. */
const isYounger = (at: number, maxAgeMs: number, clock: OutboundPorts['clock']): boolean => {
  const age = clock.now() - at;
  return age >= 0 && age < maxAgeMs;
};

const isSameCredential = (a: LoadedCredential, b: LoadedCredential): boolean =>
  a.record.type === b.record.type && JSON.stringify(a.fields) === JSON.stringify(b.fields);

/**
 * The maximum; the minimum is four fifths of it. A rotation with the command line takes effect earlier, since it
 * changes the credential's revision.
 */
const SECRET_TTL_MS = 10 * 60_000;
/** How long a cached secret is used while the store can't be read. */
const STALE_MS = 60 * 60_000;

/**
 * Interval between reads of a refused, unchanged secret: at first shorter than the delay before a node's second
 * attempt, at most this long after many.
 */
const FIRST_INTERVAL_MS = 500;
const MAX_INTERVAL_MS = 60_000;

type Named = Pick<OutboundCredential, 'reference' | 'revision' | 'hosts'>;

/** Caches the secrets managed by the service in this sandbox. Secrets bound with `--ref` are read each time. */
interface SecretCache {
  /**
   * Returns the secret of a credential.
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
interface RepeatedRead {
  readonly at: number;
  readonly intervalMs: number;
}

const createSecretCache = ({
  secrets,
  clock,
  random,
}: Pick<OutboundPorts, 'secrets' | 'clock' | 'random'>): SecretCache => {
  const lookUp = createCache<string | null>({
    ttlMs: SECRET_TTL_MS,
    maxEntries: MAX_ENTRIES,
    clock,
    random,
    keep: (secret) => secret !== null,
    stale: { maxAgeMs: STALE_MS, mayPass: (error) => findOutage(error) !== null },
  });
  const readings = new LruMap<string, RepeatedRead>(MAX_ENTRIES);

  const set = (credential: Named, secret: string | null): void => {
    void lookUp(keyOfNamed(credential), async () => secret, true);
  };

  return {
    get: (credential, maxWaitMs) => {
      const { reference } = credential;
      return isBound(reference)
        ? secrets.get(reference)
        : lookUp(keyOfNamed(credential), (isCovered) => secrets.get(reference, isCovered ? 0 : maxWaitMs));
    },
    getAgain: async (credential) => {
      const { reference } = credential;
      if (isBound(reference)) return secrets.get(reference);
      const key = keyOfNamed(credential);
      let isNew = false;
      const known = await lookUp(key, async () => {
        const secret = await secrets.get(reference);
        isNew = true;
        return secret;
      });
      const last = readings.get(key);
      if (isNew || (last !== undefined && isYounger(last.at, last.intervalMs, clock))) return known;
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

/**
 * Rotating the secret and changing the hosts increment the revision. One that is removed and created again has the same
 * revision: without its hosts in the key, the secret of the one before could go to the new one's hosts.
 */
const keyOfNamed = ({ reference, revision, hosts }: Named): string =>
  `${revision} ${reference} ${(hosts ?? []).join()}`;
