import type { CredentialFields } from '../../contract/credential-type.ts';
import type { Clock } from '../../contract/services.ts';
import { CredentialError, type LoadedCredential, type LoadParts, loadCredential } from './load-credential.ts';
import type { SecretStore } from './secret-store.ts';

/** How long a sandbox keeps a credential. */
const TTL_MS = 60_000;
const MAX_ENTRIES = 500;

interface CacheParts extends LoadParts {
  readonly secrets: SecretStore;
  readonly clock: Pick<Clock, 'now'>;
}

/** The credentials of this sandbox. Their fields are the same object for as long as they don't change. */
export interface CredentialCache {
  /** Throws like `loadCredential`; failures are not cached. */
  find(id: string): Promise<LoadedCredential>;
  /** Loads a credential again, unless its fields are others than the rejected ones already. Throws likewise. */
  refresh(id: string, rejected: CredentialFields): Promise<LoadedCredential>;
  /** Adds fields to the stored secret, and to the cached credential even when that fails. */
  save(id: string, secrets: CredentialFields): Promise<void>;
}

interface Entry {
  readonly loaded: Promise<LoadedCredential>;
  readonly loadedAt: number;
}

export const createCredentialCache = (parts: CacheParts): CredentialCache => {
  const { secrets, clock } = parts;
  const entries = new Map<string, Entry>();

  const keep = (id: string, loading: Promise<LoadedCredential>): Promise<LoadedCredential> => {
    const entry = { loaded: loading, loadedAt: clock.now() };
    if (entries.size >= MAX_ENTRIES) entries.clear();
    entries.set(id, entry);
    loading.catch(() => {
      if (entries.get(id) === entry) entries.delete(id);
    });
    return loading;
  };

  const isFresh = ({ loadedAt }: Entry): boolean => {
    const age = clock.now() - loadedAt;
    return age >= 0 && age < TTL_MS; // a clock can be set back
  };

  const find = (id: string): Promise<LoadedCredential> => {
    const known = entries.get(id);
    if (known !== undefined && isFresh(known)) return known.loaded;
    return keep(id, reload(id, known?.loaded));
  };

  /** Keeps the identity of unchanged fields: what was derived from them, such as an access token, stays valid. */
  const reload = async (id: string, before?: Promise<LoadedCredential>): Promise<LoadedCredential> => {
    const loaded = await loadCredential(id, parts);
    const known = await before?.catch(() => undefined);
    return known !== undefined && isSame(known, loaded) ? { ...loaded, fields: known.fields } : loaded;
  };

  return {
    find,
    refresh: async (id, rejected) => {
      const found = find(id);
      const current = await found;
      if (current.fields !== rejected) return current;
      const latest = entries.get(id)?.loaded ?? found; // another caller with the same fields may be loading them
      return latest === found ? keep(id, loadCredential(id, parts)) : latest;
    },
    save: async (id, changes) => {
      const { record, type, fields } = await loadCredential(id, parts);
      if (isForeign(record.reference)) throw notOurs(id);
      const stored = Object.entries(fields).filter(([name]) => !Object.hasOwn(record.fields, name));
      keep(id, Promise.resolve({ record, type, fields: Object.freeze({ ...fields, ...changes }) }));
      await secrets.put(id, JSON.stringify({ ...Object.fromEntries(stored), ...changes }));
    },
  };
};

/** Whether a secret was bound with `--ref`, so that the service only reads it. */
const isForeign = (reference: string): boolean => reference.startsWith('arn:');

const notOurs = (id: string): Error =>
  new CredentialError(
    'CredentialUnusable',
    `the secret of "${id}" is not the service's own: nothing can be added to it`,
  );

const isSame = (a: LoadedCredential, b: LoadedCredential): boolean =>
  a.record.type === b.record.type && JSON.stringify(a.fields) === JSON.stringify(b.fields);
