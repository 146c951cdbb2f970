import type { Reading } from './schedule.ts';
import type { TimeZone } from './time-zone.ts';

/** A time in ISO 8601: date, time of day, and for an instant its offset from UTC. */
const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(Z|([+-])(\d\d):(\d\d))?$/;

/**
 * @param text - a local time without offset, such as `2026-12-01T08:00`
 * @returns milliseconds since the epoch
 */
export const readLocalTime = (text: string, zone: TimeZone): Reading<number> => {
  const read = readIsoTime(text);
  if (read === null) return { fault: 'must be a local time that exists, such as "2026-12-01T08:00:00"' };
  if (read.offsetMs !== null)
    return { fault: 'must be a local time, without "Z" or an offset: "timeZone" sets the zone' };
  return toInstant(read.local, zone);
};

/**
 * @param text - with an offset from UTC, or without one in the time zone of the schedule
 * @returns milliseconds since the epoch
 */
export const readTime = (text: string, zone: TimeZone): Reading<number> => {
  const read = readIsoTime(text);
  if (read === null) return { fault: 'must be a valid ISO 8601 time, such as "2026-12-01T08:00:00Z"' };
  return read.offsetMs === null ? toInstant(read.local, zone) : { value: read.local - read.offsetMs };
};

const toInstant = (local: number, zone: TimeZone): Reading<number> => {
  const instant = zone.toInstant(local);
  return instant === null
    ? { fault: 'is a time that clocks in this time zone skip: use a time after the change' }
    : { value: instant };
};

interface IsoTime {
  /** The time in milliseconds as if it were UTC; fractions of a second are dropped. */
  readonly local: number;
  /** Offset in milliseconds east of UTC; null if the text has no offset. */
  readonly offsetMs: number | null;
}

const readIsoTime = (text: string): IsoTime | null => {
  const match = text.length > 40 ? null : TIME.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, offset, sign, hours, minutes] = match;
  const local = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second ?? 0),
  );
  // A day or an hour that does not exist becomes another one when it is formatted again.
  const again = new Date(local).toISOString();
  if (!again.startsWith(`${year}-${month}-${day}T${hour}:${minute}:${second ?? '00'}`)) return null;
  if (Number(hours ?? 0) > 23 || Number(minutes ?? 0) > 59) return null;
  const offsetMs = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000 * (sign === '-' ? -1 : 1);
  return { local, offsetMs: offset === undefined ? null : offsetMs };
};
