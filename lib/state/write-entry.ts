import type { Clock } from '@hookloom/plugin-kit';
import { STORE_UNAVAILABLE } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { changeEntry, type StateChange } from './change-entry.ts';
import type { LargeValues } from './large-values.ts';
import { liveOf } from './show-entry.ts';
import { EFFECT_LIFE_MS, type StateEntry, type StateStore } from './state-store.ts';

/**
 * Writes an entry in place of the one that was found, whose last write is kept: a node run that repeats it still finds it.
 *
 * @param found - the stored entry; null if there is none
 * @param signal - aborts before the entry is written
 * @returns the written entry; null if another version is stored
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const writeEntry = async (
  store: StateStore,
  found: StateEntry | null,
  entry: Omit<StateEntry, 'version'>,
  signal?: AbortSignal,
): Promise<StateEntry | null> => {
  if (found?.effect && found.effect.at + EFFECT_LIFE_MS > entry.writtenAt)
    await store.keepEffect(found.effect);
  signal?.throwIfAborted();
  const written = { ...entry, version: (found?.version ?? 0) + 1 };
  return (await store.put(written, found?.version ?? null)) ? written : null;
};

interface EditParts {
  readonly store: StateStore;
  readonly values: Pick<LargeValues, 'save'>;
  readonly clock: Pick<Clock, 'now'>;
}

const MAX_TRIES = 10;

/**
 * Changes an entry for a person.
 *
 * @param caller - ARN; null where requests are not signed
 * @param check - called with the entry that is to be changed, null for none; may throw
 * @returns what was there, and what is stored now
 * @throws NodeError as {@link changeEntry}; AppError `STORE_UNAVAILABLE`, also if others keep changing the entry
 */
export const editEntry = async (
  { store, values, clock }: EditParts,
  scope: string,
  change: Extract<StateChange, { operation: 'put' | 'delete' }>,
  caller: string | null,
  check: (entry: StateEntry | null) => void,
): Promise<{ readonly before: StateEntry | null; readonly after: StateEntry }> => {
  const { key } = change;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = await store.find(scope, key);
    const now = clock.now();
    const before = liveOf(found, now);
    check(before);
    const { content, expiresAt } = changeEntry(before, change, (found?.version ?? 0) + 1, now);
    const writtenBy = { executionId: null, caller };
    const saved = await values.save({ scope, key }, content ?? { kind: 'deleted' }, now);
    const written = { expiresAt, writtenAt: now, writtenBy, effect: null };
    const after = await writeEntry(store, found, { scope, key, content: saved, ...written });
    if (after !== null) return { before, after };
  }
  throw new AppError(STORE_UNAVAILABLE, {});
};
