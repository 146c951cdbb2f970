import { readIsoTime } from '@hookloom/counted-jsonata/times';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The named zones of RFC 822 §5, in hours from UTC. Military letters mean UTC, as RFC 2822 §4.3 says. */
const ZONES: Readonly<Record<string, number>> = {
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
};

/** Matches RFC 822 dates with two- or four-digit years; the day of the week, the seconds and the zone may be absent. */
const RFC822 =
  /^(?:[a-z]{3,9},? )?(\d{1,2})[ -]([a-z]{3})[a-z]{0,6}[ -](\d{4}|\d{2}) (\d{1,2}):(\d\d)(?::(\d\d))?(?: ([a-z]{1,4}|[+-]\d{4}|[+-]\d\d:\d\d))?$/;

/** Matches RFC 3339 dates and the shorter forms of the W3C profile: a year, a month or a day. */
const ISO =
  /^\d{4}(?:-\d\d(?:-\d\d)?)?(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?<zone>[Zz]|[+-]\d\d:?\d\d)?)?$/;

/**
 * Reads a date from a feed. A date without a zone is in UTC, so that it is the same everywhere.
 * @returns ISO 8601 in UTC, with milliseconds; null if it is not a date
 */
export const parseFeedDate = (text: string): string | null => {
  if (text.length > 64) return null;
  const line = text.trim().replaceAll(/\s+/g, ' ');
  const time = parseIso(line) ?? parseRfc822(line.toLowerCase());
  return time === null || Number.isNaN(time) ? null : new Date(time).toISOString();
};

const parseIso = (line: string): number | null => {
  const { groups } = ISO.exec(line) ?? {};
  if (groups === undefined) return null;
  const time = line.toUpperCase().replace(' ', 'T');
  const read = readIsoTime(time);
  return read === null ? null : read.local - (read.offsetMs ?? 0);
};

const parseRfc822 = (line: string): number | null => {
  const [, day = '', month = '', year = '', hour = '', minute = '', second = '0', zone = ''] =
    RFC822.exec(line) ?? [];
  const monthIndex = MONTHS.indexOf(month);
  if (monthIndex === -1) return null;
  const fields = [
    toYear(year),
    monthIndex,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  ] as const;
  const isInRange =
    fields[2] >= 1 && fields[2] <= 31 && fields[3] <= 24 && fields[4] <= 59 && fields[5] <= 60;
  const time = Date.UTC(...fields);
  const isDay = new Date(Date.UTC(fields[0], monthIndex, fields[2])).getUTCMonth() === monthIndex;
  return isInRange && isDay ? time - toOffsetMinutes(zone) * 60_000 : null;
};

/** Years of two digits are read as RFC 2822 §4.3 says. */
const toYear = (digits: string): number => {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return year < 50 ? 2_000 + year : 1_900 + year;
};

/** Returns a time zone's minutes ahead of UTC; 0 for an unknown name. */
const toOffsetMinutes = (zone: string): number => {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  if (sign === undefined) return (ZONES[zone] ?? 0) * 60;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
};
