/** Local times of a time zone. A local time is a number of milliseconds as if it were UTC. */
export interface TimeZone {
  /** @param instant - milliseconds since the epoch */
  toLocal(instant: number): number;
  /**
   * The instant at which clocks show a local time: the first one if they show it twice, as schedules fire once; null if
   * they skip it.
   */
  toInstant(local: number): number | null;
}

const DAY_MS = 86_400_000;

/** The offsets of a zone do not change before this time, and `Intl` writes years before year 1 without their sign. */
const FIRST_CHANGE = Date.UTC(1800, 0);

const withOffset = (offsetMs: number): TimeZone => ({
  toLocal: (instant) => instant + offsetMs,
  toInstant: (local) => local - offsetMs,
});

/** @param name - one for which {@link findTimeZoneName} finds a name */
export const openTimeZone = (name: string): TimeZone => {
  if (name === 'UTC') return withOffset(0);
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });

  const offsetAt = (instant: number): number => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const read = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const day = Date.UTC(read('year'), read('month') - 1, read('day'));
    const local = day + ((read('hour') * 60 + read('minute')) * 60 + read('second')) * 1_000;
    return local - Math.floor(instant / 1_000) * 1_000;
  };

  const toLocal = (instant: number): number => instant + offsetAt(Math.max(instant, FIRST_CHANGE));

  const toInstant = (local: number): number | null => {
    // No zone is a day or more from UTC, and none changes its clocks twice within two days.
    const guesses = [local - DAY_MS, local + DAY_MS].map((instant) => local - (toLocal(instant) - instant));
    const instants = guesses.filter((instant) => toLocal(instant) === local);
    return instants.length === 0 ? null : Math.min(...instants);
  };

  return { toLocal, toInstant };
};

/**
 * The name of a time zone with correct capitals: `Europe/Berlin` for `europe/berlin`.
 * @returns null if the IANA database has no such name; also for an offset such as `+01:00`
 */
export const findTimeZoneName = (name: string): string | null => {
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions();
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    return null;
  }
};

/**
 * Reads an offset from UTC: `Z`, `±hh:mm`, `±hhmm` or `±hh`.
 * @returns milliseconds east of UTC; null if it is none
 */
export const readOffset = (text: string): number | null => {
  if (text === 'Z' || text === 'z') return 0;
  const [, sign, hours, minutes = '0'] = /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/.exec(text) ?? [];
  if (sign === undefined) return null;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
};

/** Longest name that is looked up; the longest in the IANA database has 32 characters. */
const LONGEST_NAME = 64;

/**
 * Opens a time zone by its offset, or by its name in the IANA database in any capitals. Offsets of a name are those of
 * the runtime's zone data at each instant.
 * @returns null if there is no such zone
 */
export const findTimeZone = (text: string): TimeZone | null => {
  const offsetMs = readOffset(text);
  if (offsetMs !== null) return withOffset(offsetMs);
  const name = text.length > LONGEST_NAME ? null : findTimeZoneName(text);
  return name === null ? null : openTimeZone(name);
};
