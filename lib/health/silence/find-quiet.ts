const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far back the history of a webhook is read. */
export const HISTORY_MS = 28 * DAY_MS;

/** Fewer hours with requests are no habit. */
const MIN_ACTIVE_HOURS = 20;

/** A history has a weekend. */
const MIN_SPAN_MS = 7 * DAY_MS;

const MIN_GAP_MS = DAY_MS;
const FACTOR = 2;

/** When the webhooks of a workflow had requests. */
export interface History {
  /** The beginnings of hours with requests, in milliseconds since the epoch, in any order. */
  readonly hours: readonly number[];
  /** Since when the workflow is as it is now: the time before, in which it may have been disabled, is no silence. */
  readonly since: number;
}

/**
 * Whether a webhook is silent against its own history: it had requests in many hours, over more than a week, and now has
 * had none for more than a day and more than twice as long as ever before.
 *
 * @returns when the last hour with requests ended; null if it is not silent
 */
export const findQuiet = (
  { hours, since }: History,
  now: number,
): { readonly since: number; readonly longestGapHours: number } | null => {
  const active = [...new Set(hours)].filter((hour) => hour >= now - HISTORY_MS && hour <= now);
  active.sort((a, b) => a - b);
  const [first, last] = [active[0], active.at(-1)];
  if (first === undefined || last === undefined || active.length < MIN_ACTIVE_HOURS) return null;
  if (last - first < MIN_SPAN_MS) return null;
  const gaps = active.slice(1).map((hour, index) => hour - (active[index] ?? hour) - HOUR_MS);
  const longest = Math.max(...gaps);
  const began = Math.max(last + HOUR_MS, since);
  const gap = now - began;
  return gap > MIN_GAP_MS && gap > FACTOR * longest
    ? { since: began, longestGapHours: Math.round(longest / HOUR_MS) }
    : null;
};
