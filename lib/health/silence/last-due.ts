import { nextTimes } from '../../triggers/schedule/next-times.ts';
import type { Schedule } from '../../triggers/schedule/schedule.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** How far back a due time is looked for. */
const MAX_BACK_MS = 400 * DAY_MS;

/** How long a schedule that fires once is late, if it does not fire. */
const ONCE_MS = 7 * DAY_MS;

export interface Due {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Whether it fires at this very time, as its event says; otherwise at some time since then. */
  readonly isExact: boolean;
}

/**
 * When a schedule last was due before a time. Scheduler counts a rate from its creation, so only that it fires once in
 * each period is known.
 *
 * @returns null if it was not
 */
export const findLastDue = async (schedule: Schedule, before: number): Promise<Due | null> => {
  const { timing, startAt, endAt } = schedule;
  switch (timing.kind) {
    case 'at': {
      const isDue = timing.instant <= before && timing.instant > before - ONCE_MS;
      return isDue ? { at: timing.instant, isExact: true } : null;
    }
    case 'rate': {
      const at = before - timing.periodMs;
      return (startAt !== null && at < startAt) || (endAt !== null && before > endAt)
        ? null
        : { at, isExact: false };
    }
    case 'cron':
      return findLastTime(schedule, before);
  }
};

/** Doubles the time in which it looks until it finds one, and then halves it: some forty computations, however often it fires. */
const findLastTime = async (schedule: Schedule, before: number): Promise<Due | null> => {
  const findNext = async (from: number): Promise<number | null> => {
    const [time = null] = await nextTimes(schedule, { from, count: 1 });
    return time === null || time > before ? null : time;
  };
  let backMs = MINUTE_MS;
  let at = await findNext(before - backMs);
  while (at === null && backMs < MAX_BACK_MS) {
    backMs *= 2;
    at = await findNext(before - backMs);
  }
  // The last time is later than `from`, and not later than `to`.
  let from = before - backMs;
  let to = before - (backMs > MINUTE_MS ? backMs / 2 : 0);
  while (at !== null && to - from > MINUTE_MS) {
    const middle = from + Math.ceil((to - from) / 2);
    const later = await findNext(middle);
    if (later === null) to = middle;
    else [from, at] = [middle, later];
  }
  return at === null ? null : { at, isExact: true };
};
