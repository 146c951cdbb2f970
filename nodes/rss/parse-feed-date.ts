import { findTimeZone, readIsoTime } from '@hookloom/counted-jsonata/times';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * The named zones of RFC 822 §5, and others that mean the same everywhere: an offset, or a zone of the IANA database for
 * names that hold in summer and winter. Not `IST`, which is used in three countries.
 */
const ZONES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Z: 'ut utc gmt wet z',
    '+01:00': 'bst cet met mez west',
    '+02:00': 'cest eet mest mesz sast',
    '+03:00': 'eest msk',
    '+08:00': 'awst hkt sgt',
    '+09:00': 'jst kst',
    '+09:30': 'acst',
    '+10:00': 'aest',
    '+10:30': 'acdt',
    '+11:00': 'aedt',
    '+12:00': 'nzst',
    '+13:00': 'nzdt',
    '-02:30': 'ndt',
    '-03:00': 'adt',
    '-03:30': 'nst',
    '-04:00': 'ast edt',
    '-05:00': 'cdt est',
    '-06:00': 'cst mdt',
    '-07:00': 'mst pdt',
    '-08:00': 'akdt pst',
    '-09:00': 'akst',
    '-10:00': 'hst',
    'America/New_York': 'et',
    'America/Chicago': 'ct',
    'America/Denver': 'mt',
    'America/Los_Angeles': 'pt',
  }).flatMap(([zone, names]) => names.split(' ').map((name) => [name, zone] as const)),
);

/** Matches RFC 822 dates with two- or four-digit years; the day of the week, the seconds and the zone may be absent. */
const RFC822 =
  /^(?:[a-z]{3,9},? )?(\d{1,2})[ -]([a-z]{3})[a-z]{0,6}[ -](\d{4}|\d{2}) (\d{1,2}):(\d\d)(?::(\d\d))?(?: ([a-z]{1,4}|(?:gmt|utc?)?[+-]\d\d:?\d\d))?$/;

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
  const local = Date.UTC(...fields);
  const isDay = new Date(Date.UTC(fields[0], monthIndex, fields[2])).getUTCMonth() === monthIndex;
  return isInRange && isDay ? toInstant(local, zone) : null;
};

/** Years of two digits are read as RFC 2822 §4.3 says. */
const toYear = (digits: string): number => {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return year < 50 ? 2_000 + year : 1_900 + year;
};

/**
 * The instant of a local time. Military letters mean UTC, as RFC 2822 §4.3 says.
 * @returns null for a zone that is unknown or ambiguous, since a wrong hour looks like a right one
 */
const toInstant = (local: number, zone: string): number | null => {
  if (/^[a-z]?$/.test(zone)) return local;
  const name = ZONES.get(zone) ?? zone.replace(/^[a-z]+/, '');
  return findTimeZone(name)?.toInstant(local) ?? null;
};
