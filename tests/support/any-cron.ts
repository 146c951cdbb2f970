import fc from 'fast-check';

/** A cron expression, and what it means: written down apart from the code that reads it. */
export interface AnyCron {
  readonly text: string;
  /** Whether it fires at a local time, given as if it were UTC. */
  readonly fires: (local: Date) => boolean;
}

interface AnyField {
  readonly text: string;
  readonly has: (value: number) => boolean;
}

const aField = (min: number, max: number): fc.Arbitrary<AnyField> => {
  const value = fc.integer({ min, max });
  const range = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  const step = fc.integer({ min: 1, max: Math.min(max, 20) });
  const item: fc.Arbitrary<AnyField> = fc.oneof(
    value.map((only) => ({ text: `${only}`, has: (one: number) => one === only })),
    range.map(([a, b]) => ({ text: `${a}-${b}`, has: (one: number) => one >= a && one <= b })),
    step.map((by) => ({ text: `*/${by}`, has: (one: number) => (one - min) % by === 0 })),
    fc.tuple(range, step).map(([[a, b], by]) => ({
      text: `${a}-${b}/${by}`,
      has: (one: number) => one >= a && one <= b && (one - a) % by === 0,
    })),
  );
  const list = fc.array(item, { minLength: 1, maxLength: 2 }).map((items) => ({
    text: items.map(({ text }) => text).join(','),
    has: (one: number) => items.some(({ has }) => has(one)),
  }));
  return fc.oneof(fc.constant({ text: '*', has: () => true }), list);
};

interface AnyDays {
  readonly dayOfMonth: string;
  readonly dayOfWeek: string;
  readonly year: string;
  readonly has: (local: Date) => boolean;
}

const lastDayOf = (local: Date): number =>
  new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 0)).getUTCDate();

/** The weekday nearest to a day, within its month; 0 when the month has no such day. */
const nearestWeekday = (day: number, local: Date): number => {
  if (day > lastDayOf(local)) return 0;
  const weekday = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), day)).getUTCDay();
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === lastDayOf(local) ? day - 2 : day + 1;
  return day;
};

const aWeekday = fc.integer({ min: 1, max: 7 });

/** Days of five fields and of six. */
const someDays: fc.Arbitrary<AnyDays> = fc.oneof(
  aField(1, 31).map(({ text, has }) => ({
    dayOfMonth: text,
    dayOfWeek: '?',
    year: '*',
    has: (local: Date) => has(local.getUTCDate()),
  })),
  aField(1, 31).map(({ text, has }) => ({
    dayOfMonth: text,
    dayOfWeek: '*',
    year: '',
    has: (local: Date) => has(local.getUTCDate()),
  })),
  aField(1, 7).map(({ text, has }) => ({
    dayOfMonth: '?',
    dayOfWeek: text,
    year: '2025-2027',
    has: (local: Date) => has(local.getUTCDay() + 1),
  })),
  aField(0, 7).map(({ text, has }) => ({
    dayOfMonth: '*',
    dayOfWeek: text,
    year: '',
    has: (local: Date) => has(local.getUTCDay()) || (local.getUTCDay() === 0 && has(7)),
  })),
  fc.constant({
    dayOfMonth: 'L',
    dayOfWeek: '?',
    year: '*',
    has: (local: Date) => local.getUTCDate() === lastDayOf(local),
  }),
  fc.integer({ min: 1, max: 31 }).map((day) => ({
    dayOfMonth: `${day}W`,
    dayOfWeek: '?',
    year: '*',
    has: (local: Date) => local.getUTCDate() === nearestWeekday(day, local),
  })),
  aWeekday.map((day) => ({
    dayOfMonth: '?',
    dayOfWeek: `${day}L`,
    year: '*',
    has: (local: Date) => local.getUTCDay() + 1 === day && local.getUTCDate() > lastDayOf(local) - 7,
  })),
  fc.tuple(aWeekday, fc.integer({ min: 1, max: 5 })).map(([day, nth]) => ({
    dayOfMonth: '?',
    dayOfWeek: `${day}#${nth}`,
    year: '*',
    has: (local: Date) => local.getUTCDay() + 1 === day && Math.ceil(local.getUTCDate() / 7) === nth,
  })),
);

export const aCron: fc.Arbitrary<AnyCron> = fc
  .tuple(aField(0, 59), aField(0, 23), someDays, aField(1, 12))
  .map(([minute, hour, days, month]) => ({
    text: `${minute.text} ${hour.text} ${days.dayOfMonth} ${month.text} ${days.dayOfWeek} ${days.year}`.trim(),
    fires: (local) =>
      minute.has(local.getUTCMinutes()) &&
      hour.has(local.getUTCHours()) &&
      month.has(local.getUTCMonth() + 1) &&
      days.has(local),
  }));

const MINUTE_MS = 60_000;

/** Clocks change at full quarters of an hour. */
const QUARTER_MS = 15 * MINUTE_MS;

const YEAR = { from: Date.UTC(2025, 11, 31), until: Date.UTC(2027, 0, 1) };

/** Offsets of the quarters of {@link YEAR} by time zone, read from how a date is written. */
const offsetsByZone = new Map<string, readonly number[]>();

const offsetsOf = (timeZone: string): readonly number[] => {
  const known = offsetsByZone.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const offsets = Array.from({ length: (YEAR.until - YEAR.from) / QUARTER_MS }, (_, index) => {
    const instant = YEAR.from + index * QUARTER_MS;
    return Date.parse(`${format.format(instant).replace(' ', 'T')}Z`) - instant;
  });
  offsetsByZone.set(timeZone, offsets);
  return offsets;
};

/**
 * Times of a cron expression in 2026 by a scan of all minutes: a local time fires when the clocks show it for the first
 * time.
 *
 * @param from - milliseconds since the epoch
 * @returns instants after `from`, at most `count`
 */
export const scanMinutes = (
  { fires }: AnyCron,
  timeZone: string,
  from: number,
  count: number,
): readonly number[] => {
  const offsets = offsetsOf(timeZone);
  const times: number[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  // From the day before, so that a time that `from` is the repetition of has been seen.
  const start = Math.max(YEAR.from, from - 96 * QUARTER_MS);
  for (let instant = start; instant < YEAR.until && times.length < count; instant += MINUTE_MS) {
    const local = instant + (offsets[Math.floor((instant - YEAR.from) / QUARTER_MS)] ?? 0);
    if (local > latest && instant > from && fires(new Date(local))) times.push(instant);
    latest = Math.max(latest, local);
  }
  return times;
};
