import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { didYouMean, quoteAll } from '../../shared/describe.ts';
import { findNearest } from '../../shared/near-name.ts';
import type { Problem } from '../../workflows/definition/problem.ts';
import { readCron } from './read-cron.ts';
import { readRate } from './read-rate.ts';
import { readLocalTime, readTime } from './read-time.ts';
import type { Reading, Schedule, Timing } from './schedule.ts';
import { findTimeZoneName, openTimeZone, type TimeZone } from './time-zone.ts';

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
    case 'rate': {
      const read = readRate(value);
      if ('fault' in read) return read;
      const { text, periodMs } = read.value;
      return { value: { timing: { kind, periodMs }, expression: `rate(${text})` } };
    }
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
