import { workThrough } from '../shared/work-through.ts';
import { CHECK_DAYS, DAY_MS, type ValueCheck, type ValueChecks } from './large-values.ts';
import { liveOf } from './show-entry.ts';
import type { StateStore } from './state-store.ts';

interface CheckParts {
  readonly store: Pick<StateStore, 'find'>;
  readonly checks: ValueChecks;
  readonly blobs: { remove(key: string): Promise<void> };
  readonly clock: { now(): number };
}

/**
 * For how many days a value is kept after its entry was overwritten, was deleted or has expired: longer than the 35 days
 * within which a table can be restored, so that a restored entry has its value.
 */
const UNUSED_DAYS = 36;

const AT_ONCE = 16;

/** What a check decides: the next one, or null to remove the value. @param now - milliseconds since the epoch */
const nextCheck = (check: ValueCheck, isUsed: boolean, now: number): ValueCheck | null => {
  const unusedSince = isUsed ? null : (check.unusedSince ?? now);
  if (unusedSince !== null && now - unusedSince >= UNUSED_DAYS * DAY_MS) return null;
  return { ...check, dueAt: now + CHECK_DAYS * DAY_MS, unusedSince };
};

interface CheckOptions {
  readonly mayGoOn: () => boolean;
  /** Called for a value that could not be checked; the next call of `checkValues` tries again. */
  readonly onFailure: (check: ValueCheck, cause: unknown) => void;
}

/**
 * Removes large values that no entry names any more. Repeatable wherever it was interrupted.
 *
 * @returns how many were checked and removed
 * @throws AppError `STORE_UNAVAILABLE` if the checks that are due can't be read
 */
export const checkValues = async (
  { store, checks, blobs, clock }: CheckParts,
  { mayGoOn, onFailure }: CheckOptions,
): Promise<{ readonly checked: number; readonly removed: number }> => {
  let checked = 0;
  let removed = 0;
  const now = clock.now();
  await workThrough(checks.findDue(now), { atOnce: AT_ONCE, mayGoOn }, async (check) => {
    try {
      const content = liveOf(await store.find(check.scope, check.key), now)?.content;
      const next = nextCheck(check, content?.kind === 'large' && content.blob === check.blob, now);
      // A crash after the first of the two leaves the check, which is then made again.
      if (next === null) await blobs.remove(check.blob);
      else await checks.add(next);
      await checks.remove(check);
      checked += 1;
      if (next === null) removed += 1;
    } catch (cause) {
      onFailure(check, cause);
    }
  });
  return { checked, removed };
};
