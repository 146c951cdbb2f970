import type { CredentialFields } from '@hookloom/plugin-kit';
import { LruMap } from '../../shared/lru-map.ts';
import { CredentialError, type LoadedCredential, type LoadParts, loadCredential } from './load-credential.ts';
import type { OutboundCredential } from './outbound-credential.ts';
import { createSecretCache, isBound, type SecretCacheParts } from './secret-cache.ts';
import type { SecretStore } from './secret-store.ts';

/** How long a sandbox caches a credential; its secret may come from a longer-lived cache. */
const TTL_MS = 60_000;
const MAX_ENTRIES = 500;

export interface CacheParts extends LoadParts, SecretCacheParts {
  readonly secrets: SecretStore;
}

/** The credentials of this sandbox. As long as fields do not change, they are the same object. */
export interface CredentialCache {
  /**
   * Throws like `loadCredential`; failures are not cached.
   *
   * @param maxWaitMs - see {@link SecretStore.get}
   */
  find(id: string, maxWaitMs?: number): Promise<LoadedCredential>;
  /** The same for several credentials, whose secrets are read in one batch. */
  findAll(ids: readonly string[], maxWaitMs?: number): Promise<LoadedCredential>[];
  /** Loads a credential again, unless its fields already differ from the rejected ones. Throws like `find`. */
  refresh(id: string, rejected: CredentialFields): Promise<LoadedCredential>;
  /** Adds fields to the stored secret, and to the cached credential even if storing fails. */
  save(id: string, secrets: CredentialFields): Promise<void>;
}

interface Entry {
  readonly loaded: Promise<LoadedCredential>;
  readonly loadedAt: number;
}

export const createCredentialCache = (parts: CacheParts): CredentialCache => {
  const { secrets, clock, store } = parts;
  const cached = createSecretCache(parts);
  const entries = new LruMap<string, Entry>(MAX_ENTRIES);

  const keep = (id: string, loading: Promise<LoadedCredential>): Promise<LoadedCredential> => {
    const entry = { loaded: loading, loadedAt: clock.now() };
    entries.set(id, entry);
    loading.catch(() => {
      if (entries.get(id) === entry) entries.delete(id);
    });
    return loading;
  };

  const isFresh = ({ loadedAt }: Entry): boolean => {
    const age = clock.now() - loadedAt;
    return age >= 0 && age < TTL_MS; // clocks can be set back
  };

  const findFresh = (id: string): Promise<LoadedCredential> | undefined => {
    const known = entries.get(id);
    return known !== undefined && isFresh(known) ? known.loaded : undefined;
  };

  /** Preserves the identity of unchanged fields: values derived from them, such as an access token, stay valid. */
  const load = async (
    id: string,
    maxWaitMs: number | undefined,
    from: LoadParts['store'],
  ): Promise<LoadedCredential> => {
    const before = entries.get(id)?.loaded;
    const loaded = await loadCredential(id, { ...parts, store: from }, (record) =>
      cached.get(record, maxWaitMs),
    );
    const known = await before?.catch(() => undefined);
    return known !== undefined && isSame(known, loaded) ? { ...loaded, fields: known.fields } : loaded;
  };

  const find = (id: string, maxWaitMs?: number, from = store): Promise<LoadedCredential> =>
    findFresh(id) ?? keep(id, load(id, maxWaitMs, from));

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
      return latest === found ? keep(id, loadCredential(id, parts, cached.getAgain)) : latest;
    },
    save: async (id, changes) => {
      const { record, type, fields } = await loadCredential(id, parts, ({ reference }) =>
        secrets.get(reference),
      );
      if (isBound(record.reference)) throw notOurs(id);
      const stored = Object.entries(fields).filter(([name]) => !Object.hasOwn(record.fields, name));
      keep(id, Promise.resolve({ record, type, fields: Object.freeze({ ...fields, ...changes }) }));
      const secret = JSON.stringify({ ...Object.fromEntries(stored), ...changes });
      cached.set(record, secret);
      await secrets.put(id, secret);
    },
  };
};

/**
 * A store that reads these credentials in parallel and returns none before it has all, so that their secrets are
 * requested in one batch.
 */
const findTogether = (ids: readonly string[], store: LoadParts['store']): LoadParts['store'] => {
  const records = new Map<string, Promise<OutboundCredential | null>>(ids.map((id) => [id, store.find(id)]));
  const all = Promise.allSettled(records.values());
  return {
    find: async (id) => {
      await all;
      return records.get(id) ?? store.find(id);
    },
  };
};

const notOurs = (id: string): Error =>
  new CredentialError(
    'CredentialUnusable',
    `the secret of "${id}" is not managed by the service: nothing can be added to it`,
  );

const isSame = (a: LoadedCredential, b: LoadedCredential): boolean =>
  a.record.type === b.record.type && JSON.stringify(a.fields) === JSON.stringify(b.fields);
