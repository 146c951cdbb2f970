import { readOffset } from './time-zone.ts';

/** Matches the calendar dates of ISO 8601, in full or up to the year or the month; the time of a day needs a day. */
const ISO =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,30}))?)?)?)?)?(Z|[+-]\d\d:?\d\d)?$/;

interface IsoTime {
  /** The time in milliseconds as if it were UTC; further digits are dropped. */
  readonly local: number;
  /** Milliseconds east of UTC; null without an offset. */
  readonly offsetMs: number | null;
  /** Whether the text has a time of day. */
  readonly hasTime: boolean;
}

/**
 * Reads a time in ISO 8601 that exists: `Date.parse` takes 30 February for 2 March, and a time without an offset for
 * one in the zone of the process. 24:00 is the end of a day.
 * @returns null if it is none
 */
export const readIsoTime = (text: string): IsoTime | null => {
  const [, year, month = '1', day = '1', hour, minute = '0', second = '0', fraction = '', offset] =
    ISO.exec(text) ?? [];
  const offsetMs = offset === undefined ? null : readOffset(offset);
  if (year === undefined || (offset !== undefined && offsetMs === null)) return null;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that does not exist becomes one of another month.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null;
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const time = ((Number(hour ?? 0) * 60 + Number(minute)) * 60 + Number(second)) * 1_000 + ms;
  const exists = Number(minute) < 60 && Number(second) < 60 && time <= 86_400_000;
  return exists ? { local: date.getTime() + time, offsetMs, hasTime: hour !== undefined } : null;
};

/**
 * Reads an instant in ISO 8601: a date and time of day that exist, with an offset.
 * @returns milliseconds since the epoch; NaN if it is none
 */
export const readInstant = (text: string): number => {
  const { local, offsetMs, hasTime } = readIsoTime(text) ?? { local: 0, offsetMs: null, hasTime: false };
  return offsetMs === null || !hasTime ? Number.NaN : local - offsetMs;
};
