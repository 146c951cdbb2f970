import { findTimeZoneName, openTimeZone, readIsoTime, type TimeZone } from '@hookloom/counted-jsonata/times';
import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { didYouMean, quoteAll } from '../../shared/describe.ts';
import { findNearest } from '../../shared/near-name.ts';
import type { Problem } from '../../workflows/definition/problem.ts';
import { DURATION_FAULT, readDuration } from '../../workflows/definition/read-duration.ts';
import { readCron } from './read-cron.ts';
import { refuseText, type Schedule, ScheduleFault, type Timing } from './schedule.ts';

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
  /** Reads a parameter, or records what is wrong with it. */
  const take = <T>(name: string, read: (value: JsonValue | undefined) => T): T | null => {
    try {
      return read(parameters[name]);
    } catch (fault) {
      if (!(fault instanceof ScheduleFault)) throw fault;
      problems.push({ path: `/${name}`, message: fault.message });
      return null;
    }
  };
  const timeZone = take('timeZone', readTimeZone) ?? 'UTC';
  const zone = openTimeZone(timeZone);
  const kinds = KINDS.filter((name) => parameters[name] !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    const message = `must have exactly one of "cron", "rate" and "at"; it has ${kinds.length === 0 ? 'none' : quoteAll(kinds)}`;
    return { problems: [...problems, { path: '', message }] };
  }
  const timing = take(kind, (value) => readTiming(kind, value, zone));
  const startAt = take('startAt', (value) => readLimit(value, kind, zone));
  const endAt = take('endAt', (value) => readLimit(value, kind, zone));
  const flexibleMinutes = take('flexibleMinutes', readFlexibleMinutes);
  if (startAt !== null && endAt !== null && endAt <= startAt)
    problems.push({ path: '/endAt', message: 'must be later than "startAt"' });
  if (timing === null || problems.length > 0) return { problems };
  return { schedule: { ...timing, timeZone, startAt, endAt, flexibleMinutes } };
};

const readTimeZone = (value: JsonValue | undefined): string => {
  if (value === undefined) return 'UTC';
  if (typeof value !== 'string') return refuseText('must be a string, such as "Europe/Berlin"');
  const name = findTimeZoneName(value);
  if (name === value) return value;
  const nearest = name ?? findNearest(value, Intl.supportedValuesOf('timeZone'));
  const hint = nearest === null ? ', such as "Europe/Berlin"' : didYouMean(nearest);
  return refuseText(`must be the name of a time zone in the IANA database${hint}`);
};

type Timed = Pick<Schedule, 'expression'> & { readonly timing: Timing };

const readTiming = (kind: (typeof KINDS)[number], value: JsonValue | undefined, zone: TimeZone): Timed => {
  if (typeof value !== 'string') return refuseText('must be a string');
  switch (kind) {
    case 'cron': {
      const cron = readCron(value);
      return { timing: { kind, cron }, expression: `cron(${cron.fields})` };
    }
    case 'rate':
      return readRate(value);
    case 'at': {
      const instant = readLocalTime(value, zone);
      const local = new Date(zone.toLocal(instant)).toISOString().slice(0, 19);
      return { timing: { kind, instant }, expression: `at(${local})` };
    }
  }
};

/** Reads `startAt` or `endAt`. Scheduler ignores both for a one-time schedule, so they are refused there. */
const readLimit = (value: JsonValue | undefined, kind: string, zone: TimeZone): number | null => {
  if (value === undefined) return null;
  if (kind === 'at') return refuseText('has no effect together with "at", which fires once: remove it');
  return typeof value === 'string' ? readTime(value, zone) : refuseText('must be a string');
};

const readFlexibleMinutes = (value: JsonValue | undefined): number | null => {
  if (value === undefined) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_FLEXIBLE_MINUTES)
    return value;
  return refuseText(`must be a whole number of minutes from 1 to ${MAX_FLEXIBLE_MINUTES}`);
};

/** Reads `5 minutes` or `1 hour`. */
const readRate = (text: string): Timed => {
  const duration = readDuration(text);
  if (duration === null) return refuseText(DURATION_FAULT);
  const { amount, unit, ms } = duration;
  const expression = `rate(${amount} ${unit}${amount === 1 ? '' : 's'})`;
  return { timing: { kind: 'rate', periodMs: ms }, expression };
};

/**
 * @param text - a local time without offset, such as `2026-12-01T08:00`
 * @returns milliseconds since the epoch
 */
const readLocalTime = (text: string, zone: TimeZone): number => {
  const read = readTimeOfDay(text);
  if (read === null) return refuseText('must be a local time that exists, such as "2026-12-01T08:00:00"');
  if (read.offsetMs !== null)
    refuseText('must be a local time, without "Z" or an offset: "timeZone" sets the zone');
  return toInstant(read.local, zone);
};

/**
 * @param text - with an offset from UTC, or without one in the time zone of the schedule
 * @returns milliseconds since the epoch
 */
const readTime = (text: string, zone: TimeZone): number => {
  const read = readTimeOfDay(text);
  if (read === null) return refuseText('must be a valid ISO 8601 time, such as "2026-12-01T08:00:00Z"');
  return read.offsetMs === null ? toInstant(read.local, zone) : read.local - read.offsetMs;
};

const toInstant = (local: number, zone: TimeZone): number =>
  zone.toInstant(local) ??
  refuseText('is a time that clocks in this time zone skip: use a time after the change');

/** Reads a date and time of day. Scheduler has no 24:00, and drops fractions of a second. */
const readTimeOfDay = (text: string): ReturnType<typeof readIsoTime> => {
  const read = text.includes('T24') ? null : readIsoTime(text);
  return read?.hasTime === true ? { ...read, local: Math.floor(read.local / 1_000) * 1_000 } : null;
};
