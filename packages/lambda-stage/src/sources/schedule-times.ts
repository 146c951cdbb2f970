import { Cron } from 'croner';

/** A schedule as EventBridge Scheduler has it. Instants are milliseconds since the epoch. */
interface ScheduleSettings {
  /** `cron(…)` with AWS's six fields, `rate(…)` or `at(…)`. */
  readonly expression: string;
  /** IANA name of the time zone. */
  readonly timeZone: string;
  /** Nothing fires before and after; null for no limit. */
  readonly startAt: number | null;
  readonly endAt: number | null;
  readonly createdAt: number;
}

/** Finds the next time after an instant; null if there is none. */
type FindNext = (after: number) => number | null;

const MINUTE_MS = 60_000;
const UNITS_MS: Readonly<Record<string, number>> = {
  minute: MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 24 * 60 * MINUTE_MS,
};

/**
 * When a schedule fires: https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
 * A local time that clocks skip is left out; one that they show twice fires once, which here is the first. A rate counts from
 * its start, or from its creation, which is its first time; a day is 24 hours.
 *
 * @throws Error for what Scheduler refuses
 */
export const readScheduleTimes = (settings: ScheduleSettings): FindNext => {
  const [, kind = '', text = ''] = /^(cron|rate|at)\(([^()]*)\)$/.exec(settings.expression) ?? [];
  const { startAt, endAt } = settings;
  const isWithin = (time: number | null): time is number => time !== null && time <= (endAt ?? Infinity);
  switch (kind) {
    case 'rate': {
      const periodMs = readRate(text);
      const first = startAt ?? settings.createdAt;
      return (after) => {
        const passed = Math.max(0, Math.floor((after - first) / periodMs) + 1);
        const time = first + passed * periodMs;
        return isWithin(time) ? time : null;
      };
    }
    case 'cron': {
      const findNext = openCron(text, settings.timeZone);
      return (after) => {
        const time = findNext(Math.max(after, (startAt ?? after + 1) - 1));
        return isWithin(time) ? time : null;
      };
    }
    case 'at': {
      const local = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
      const instant = Number.isNaN(local) ? null : openZone(settings.timeZone).toInstant(local);
      if (instant === null) throw new Error(`at(${text}) is no time of the time zone ${settings.timeZone}`);
      return (after) => (instant > after ? instant : null);
    }
  }
  throw new Error(`${settings.expression} is neither cron(…), rate(…) nor at(…)`);
};

/** @returns the period of `5 minutes` in milliseconds */
const readRate = (text: string): number => {
  const [, count = '', unit = ''] = /^([1-9]\d*) +(minute|hour|day)s?$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  if (unitMs === undefined) throw new Error(`rate(${text}) is not a number of minutes, hours or days`);
  return Number(count) * unitMs;
};

const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** AWS's fields: the highest value of each, and the names of values, from 1. */
const FIELDS: readonly (readonly [most: number, names: readonly string[]])[] = [
  [59, []],
  [23, []],
  [31, []],
  [12, MONTHS],
  [7, WEEKDAYS],
  [2_199, []],
];

const DAY_OF_WEEK = 4;
const YEAR = 5;

/** Writes a field for `croner`, which has numbers only, and no start with a step: `5/15` is `5-59/15`. */
const toCronerField = (field: string, at: number): string => {
  const [most, names] = FIELDS[at] ?? [0, []];
  if (field === '?') return '*';
  if (field === 'L' && at === DAY_OF_WEEK) return '7';
  if (field === '*' && at === YEAR) return `1970-${most}`;
  return field
    .replace(/[A-Z]{3}/g, (name) => (names.includes(name) ? String(names.indexOf(name) + 1) : name))
    .replace(/(^|,)(\d+)\//g, (_match, before: string, from: string) => `${before}${from}-${most}/`);
};

/** How many local times may pass in a row without firing: more than clocks skip in a day. */
const MAX_SKIPPED = 2_000;

/** `croner` knows the calendar; the zone is applied here, since it handles clock changes like Vixie cron. */
const openCron = (text: string, timeZone: string): FindNext => {
  const fields = text.trim().toUpperCase().split(/\s+/);
  const [, , dayOfMonth, , dayOfWeek] = fields;
  if (fields.length !== FIELDS.length || (dayOfMonth === '?') === (dayOfWeek === '?'))
    throw new Error(`cron(${text}) must have six fields, with "?" in one of day of month and day of week`);
  const pattern = ['0', ...fields.map(toCronerField)].join(' ');
  const cron = new Cron(pattern, { mode: '7-part', alternativeWeekdays: true, utcOffset: 0 });
  const zone = openZone(timeZone);
  return (after) => {
    let local = cron.nextRun(new Date(zone.toLocal(after)));
    for (let skipped = 0; local !== null && skipped < MAX_SKIPPED; skipped++) {
      const instant = zone.toInstant(local.getTime());
      // After the clocks are set back, they show local times again that have already fired.
      if (instant !== null && instant > after) return instant;
      local = cron.nextRun(local);
    }
    return null;
  };
};

const DAY_MS = 86_400_000;

/** Local times of a time zone, as milliseconds as if they were UTC. @throws RangeError for an unknown zone */
const openZone = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
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
    const seconds = (read('hour') * 60 + read('minute')) * 60 + read('second');
    return day + seconds * 1_000 + (((instant % 1_000) + 1_000) % 1_000);
  };
  return {
    toLocal,
    /** The first instant at which clocks show a local time; null if they skip it. */
    toInstant: (local: number): number | null => {
      // No zone is a day or more from UTC, and none changes its clocks twice within two days.
      const guesses = [local - DAY_MS, local + DAY_MS].map((instant) => local - (toLocal(instant) - instant));
      const instants = guesses.filter((instant) => toLocal(instant) === local);
      return instants.length === 0 ? null : Math.min(...instants);
    },
  };
};
