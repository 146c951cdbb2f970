import { findTimeZoneName, openTimeZone, readIsoTime, type TimeZone } from '@hookloom/counted-jsonata/times';
import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { didYouMean, quoteAll } from '../../shared/describe.ts';
import { findNearest } from '../../shared/near-name.ts';
import type { Problem } from '../../workflows/definition/problem.ts';
import { readCron } from './read-cron.ts';
import type { Reading, Schedule, Timing } from './schedule.ts';

/** The schedule, or its problems, whose paths are JSON pointers into the parameters. */
type ScheduleReading = { readonly schedule: Schedule } | { readonly problems: readonly Problem[] };

const KINDS = ['cron', 'rate', 'at'] as const;

/** Maximum flexible time window: https://docs.aws.amazon.com/scheduler/latest/APIReference/API_FlexibleTimeWindow.html */
const MAX_FLEXIBLE_MINUTES = 1_440;

/**
 * Reads the parameters of a schedule: one of `cron`, `rate` and `at`; `timeZone`, `startAt`, `endAt` and
 * `flexibleMinutes`. Whether it ever fires is checked by `findScheduleProblems`.
 * @param parameters - any others are ignored, since the schema refuses them
 */
export const readSchedule = (parameters: JsonObject): ScheduleReading => {
  const problems: Problem[] = [];
  /** Returns a value, or records what is wrong with it. */
  const take = <T>(name: string, reading: Reading<T>): T | null => {
    if ('value' in reading) return reading.value;
    problems.push({ path: `/${name}`, message: reading.fault });
    return null;
  };
  const timeZone = take('timeZone', readTimeZone(parameters.timeZone)) ?? 'UTC';
  const zone = openTimeZone(timeZone);
  const kinds = KINDS.filter((name) => parameters[name] !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    const message = `must have exactly one of "cron", "rate" and "at"; it has ${kinds.length === 0 ? 'none' : quoteAll(kinds)}`;
    return { problems: [...problems, { path: '', message }] };
  }
  const timing = take(kind, readTiming(kind, parameters[kind], zone));
  const startAt = take('startAt', readLimit(parameters.startAt, kind, zone));
  const endAt = take('endAt', readLimit(parameters.endAt, kind, zone));
  const flexibleMinutes = take('flexibleMinutes', readFlexibleMinutes(parameters.flexibleMinutes));
  if (startAt !== null && endAt !== null && endAt <= startAt)
    problems.push({ path: '/endAt', message: 'must be later than "startAt"' });
  if (timing === null || problems.length > 0) return { problems };
  return { schedule: { ...timing, timeZone, startAt, endAt, flexibleMinutes } };
};

const readTimeZone = (value: JsonValue | undefined): Reading<string> => {
  if (value === undefined) return { value: 'UTC' };
  if (typeof value !== 'string') return { fault: 'must be a string, such as "Europe/Berlin"' };
  const name = findTimeZoneName(value);
  if (name === value) return { value };
  const nearest = name ?? findNearest(value, Intl.supportedValuesOf('timeZone'));
  const hint = nearest === null ? ', such as "Europe/Berlin"' : didYouMean(nearest);
  return { fault: `must be the name of a time zone in the IANA database${hint}` };
};

type Timed = Pick<Schedule, 'expression'> & { readonly timing: Timing };

const readTiming = (
  kind: (typeof KINDS)[number],
  value: JsonValue | undefined,
  zone: TimeZone,
): Reading<Timed> => {
  if (typeof value !== 'string') return { fault: 'must be a string' };
  switch (kind) {
    case 'cron': {
      const read = readCron(value);
      if ('fault' in read) return read;
      return { value: { timing: { kind, cron: read.value }, expression: `cron(${read.value.fields})` } };
    }
    case 'rate':
      return readRate(value);
    case 'at': {
      const read = readLocalTime(value, zone);
      if ('fault' in read) return read;
      const local = new Date(zone.toLocal(read.value)).toISOString().slice(0, 19);
      return { value: { timing: { kind, instant: read.value }, expression: `at(${local})` } };
    }
  }
};

/** Reads `startAt` or `endAt`. Scheduler ignores both for a one-time schedule, so they are refused there. */
const readLimit = (value: JsonValue | undefined, kind: string, zone: TimeZone): Reading<number | null> => {
  if (value === undefined) return { value: null };
  if (kind === 'at') return { fault: 'has no effect together with "at", which fires once: remove it' };
  return typeof value === 'string' ? readTime(value, zone) : { fault: 'must be a string' };
};

const readFlexibleMinutes = (value: JsonValue | undefined): Reading<number | null> => {
  if (value === undefined) return { value: null };
  const isRight =
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_FLEXIBLE_MINUTES;
  return isRight
    ? { value }
    : { fault: `must be a whole number of minutes from 1 to ${MAX_FLEXIBLE_MINUTES}` };
};

const MINUTE_MS = 60_000;

const units: Readonly<Record<string, number>> = {
  minute: MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 24 * 60 * MINUTE_MS,
};

/** Reads `5 minutes` or `1 hour`. A day is always 24 hours, even when the clocks change. */
const readRate = (text: string): Reading<Timed> => {
  const [, digits = '', unit = ''] = /^([1-9]\d{0,4}) +(minute|hour|day)s?$/.exec(text) ?? [];
  const unitMs = units[unit];
  if (unitMs === undefined)
    return {
      fault: 'must be a whole number from 1 to 99999 with minutes, hours or days, such as "5 minutes"',
    };
  const amount = Number(digits);
  const expression = `rate(${amount} ${unit}${amount === 1 ? '' : 's'})`;
  return { value: { timing: { kind: 'rate', periodMs: amount * unitMs }, expression } };
};

/**
 * @param text - a local time without offset, such as `2026-12-01T08:00`
 * @returns milliseconds since the epoch
 */
const readLocalTime = (text: string, zone: TimeZone): Reading<number> => {
  const read = readTimeOfDay(text);
  if (read === null) return { fault: 'must be a local time that exists, such as "2026-12-01T08:00:00"' };
  if (read.offsetMs !== null)
    return { fault: 'must be a local time, without "Z" or an offset: "timeZone" sets the zone' };
  return toInstant(read.local, zone);
};

/**
 * @param text - with an offset from UTC, or without one in the time zone of the schedule
 * @returns milliseconds since the epoch
 */
const readTime = (text: string, zone: TimeZone): Reading<number> => {
  const read = readTimeOfDay(text);
  if (read === null) return { fault: 'must be a valid ISO 8601 time, such as "2026-12-01T08:00:00Z"' };
  return read.offsetMs === null ? toInstant(read.local, zone) : { value: read.local - read.offsetMs };
};

const toInstant = (local: number, zone: TimeZone): Reading<number> => {
  const instant = zone.toInstant(local);
  return instant === null
    ? { fault: 'is a time that clocks in this time zone skip: use a time after the change' }
    : { value: instant };
};

/** Reads a date and time of day. Scheduler has no 24:00, and drops fractions of a second. */
const readTimeOfDay = (text: string): ReturnType<typeof readIsoTime> => {
  const read = text.includes('T24') ? null : readIsoTime(text);
  return read?.hasTime === true ? { ...read, local: Math.floor(read.local / 1_000) * 1_000 } : null;
};
