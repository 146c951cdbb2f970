/** Local times of a time zone. A local time is a number of milliseconds as if it were UTC. */
export interface TimeZone {
  /** @param instant - milliseconds since the epoch */
  toLocal(instant: number): number;
  /**
   * The instant at which clocks show a local time: the first one if they show it twice, since Scheduler fires once;
   * null if they skip it.
   */
  toInstant(local: number): number | null;
}

const DAY_MS = 86_400_000;

/** @param name - one for which {@link findTimeZoneName} finds a name */
export const openTimeZone = (name: string): TimeZone => {
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

  const toLocal = (instant: number): number => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const read = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const day = Date.UTC(read('year'), read('month') - 1, read('day'));
    return day + ((read('hour') * 60 + read('minute')) * 60 + read('second')) * 1_000 + (instant % 1_000);
  };

  const toInstant = (local: number): number | null => {
    // No zone is a day or more from UTC, and none changes its clocks twice within two days.
    const guesses = [local - DAY_MS, local + DAY_MS].map((instant) => local - (toLocal(instant) - instant));
    const instants = guesses.filter((instant) => toLocal(instant) === local);
    return instants.length === 0 ? null : Math.min(...instants);
  };

  return name === 'UTC' ? { toLocal: (time) => time, toInstant: (time) => time } : { toLocal, toInstant };
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
