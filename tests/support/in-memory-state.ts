import { randomIds } from '../../lib/adapters/runtime/system-clock.ts';
import { createLargeValues, type ValueCheck, type ValueChecks } from '../../lib/state/large-values.ts';
import type { StateEffect, StateEntry, StateStore } from '../../lib/state/state-store.ts';
import { inMemoryBlobs } from './in-memory-blobs.ts';

/** Keeps copies, for ever. */
export const inMemoryState = (): StateStore => {
  const entries = new Map<string, StateEntry>();
  const effects = new Map<string, StateEffect>();
  const placeOf = (scope: string, key: string): string => JSON.stringify([scope, key]);
  return {
    find: async (scope, key) => structuredClone(entries.get(placeOf(scope, key)) ?? null),
    put: async (entry, replaces) => {
      const place = placeOf(entry.scope, entry.key);
      if ((entries.get(place)?.version ?? null) !== replaces) return false;
      entries.set(place, structuredClone(entry));
      return true;
    },
    findEffect: async (id) => structuredClone(effects.get(id) ?? null),
    keepEffect: async (effect) => {
      effects.set(effect.id, structuredClone(effect));
    },
    list: async (scope, { prefix, after, limit }) => {
      const found = [...entries.values()]
        .filter((entry) => entry.scope === scope && entry.key.startsWith(prefix))
        .filter(({ key }) => after === null || Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0)
        .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
      const page = structuredClone(found.slice(0, limit));
      return { entries: page, next: page.length < limit ? null : (page.at(-1)?.key ?? null) };
    },
  };
};

/** Checks of large values, for ever. */
export const inMemoryChecks = (): ValueChecks & { all(): readonly ValueCheck[] } => {
  const checks = new Map<string, ValueCheck>();
  const placeOf = ({ blob, dueAt }: ValueCheck): string => `${dueAt} ${blob}`;
  return {
    add: async (check) => {
      checks.set(placeOf(check), check);
    },
    remove: async (check) => {
      checks.delete(placeOf(check));
    },
    findDue: async function* (now) {
      yield* [...checks.values()].filter(({ dueAt }) => dueAt <= now);
    },
    all: () => [...checks.values()],
  };
};

/** Large values in memory. */
export const inMemoryValues = () => {
  const blobs = inMemoryBlobs();
  const checks = inMemoryChecks();
  return { blobs, checks, values: createLargeValues({ blobs, checks, ids: randomIds }) };
};
