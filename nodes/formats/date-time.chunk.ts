import { suggestLuxonFormat } from '@hookloom/counted-jsonata';
import { findTimeZone, type TimeZone } from '@hookloom/counted-jsonata/times';
import { type JsonObject, wrongParameter } from '@hookloom/plugin-kit';
import { DateTime, FixedOffsetZone, Settings, type Zone } from 'luxon';

export const units = [
  'years',
  'quarters',
  'months',
  'weeks',
  'days',
  'hours',
  'minutes',
  'seconds',
  'milliseconds',
] as const;

type Unit = (typeof units)[number];

interface DateTimeOptions {
  readonly operation: 'convert' | 'add' | 'startOf' | 'endOf' | 'difference';
  readonly value?: string | number;
  readonly inputFormat?: string;
  readonly timeZone: string;
  readonly format?: string;
  readonly locale: string;
  readonly duration: Readonly<Record<string, number>>;
  readonly unit: Unit;
  readonly until?: string | number;
}

/**
 * Does calculations with a date and time.
 * @param now - milliseconds since the epoch, used if no value is given
 * @throws RangeError with the parameter that is not a valid date, time zone, language or duration
 */
export const computeDateTime = (options: DateTimeOptions, now: number): JsonObject => {
  const { operation, value = now, unit, format, until } = options;
  const zone = openZone(options.timeZone);
  checkLocale(options);
  checkFormats(options);
  const read = createReader(options, zone, now);
  const date = read(value, 'value');
  if (operation === 'difference') {
    if (until === undefined) throw wrongParameter('until', 'a string or a number', until);
    return { difference: read(until, 'until').diff(date, unit).as(unit) };
  }
  const result = move(date, options);
  if (!result.isValid)
    throw new RangeError('Parameter "duration" leads to a year outside the range of dates');
  const iso = result.toUTC().toISO() ?? '';
  const text = format === undefined ? {} : { text: result.toFormat(format) };
  return {
    iso: options.timeZone === 'UTC' ? iso : (result.toISO() ?? iso),
    epochMs: result.toMillis(),
    ...text,
  };
};

const move = (date: DateTime, { operation, duration, unit }: DateTimeOptions): DateTime => {
  switch (operation) {
    case 'add':
      return date.plus(checkDuration(duration));
    case 'startOf':
      return date.startOf(singular(unit));
    case 'endOf':
      return date.endOf(singular(unit));
    default:
      return date;
  }
};

const singular = (unit: Unit) => unit.slice(0, -1) as 'day';

const checkDuration = (duration: Readonly<Record<string, number>>) => {
  for (const unit of Object.keys(duration)) {
    if (!units.some((known) => known === unit))
      throw new RangeError(`Parameter "duration" must only have the keys ${units.join(', ')}`);
  }
  return duration;
};

/** What is wrong with a time zone; null for one that exists. */
export const describeZone = (timeZone: string): string | null =>
  findTimeZone(timeZone) === null
    ? 'must be a name of the IANA database, such as Europe/Oslo, or an offset such as +05:30'
    : null;

const openZone = (timeZone: string): TimeZone => {
  const zone = findTimeZone(timeZone);
  if (zone === null) throw new RangeError(`Parameter "timeZone" ${describeZone(timeZone)}`);
  return zone;
};

const checkLocale = ({ locale }: DateTimeOptions): void => {
  try {
    Intl.getCanonicalLocales(locale);
  } catch (cause) {
    throw new RangeError('Parameter "locale" must be a language tag, such as en or nb-NO', { cause });
  }
};

/** Refuses the tokens of other tools, whose output would look almost right: `YYYY-01-Jan 31, 2026`. */
const checkFormats = ({ format, inputFormat }: DateTimeOptions): void => {
  for (const [name, given] of Object.entries({ format, inputFormat })) {
    const problem = given === undefined ? null : describeFormat(given);
    if (problem !== null) throw new RangeError(`Parameter "${name}" ${problem}`);
  }
};

/** The zone of texts without one of their own: UTC, but not the same as `Z`. */
const LOCAL: Zone = Object.create(FixedOffsetZone.utcInstance);

/**
 * Reads values in a pure way: Luxon takes what a text lacks, such as the day of a time, from the clock of the process,
 * and also by that clock chooses one of the two times that clocks show when they are set back. Here, that is the first.
 * @param now - milliseconds since the epoch, from which missing parts are taken
 */
const createReader =
  ({ inputFormat, timeZone, locale }: DateTimeOptions, zone: TimeZone, now: number) =>
  (value: string | number, name: string): DateTime => {
    const parse = (time: number) => parseAt(time, value, inputFormat, locale);
    const ofZone = parse(zone.toLocal(now));
    const read = ofZone.zone === LOCAL ? ofZone : parse(now);
    if (!read.isValid) {
      const form =
        inputFormat === undefined ? 'ISO 8601, or milliseconds since 1970' : 'in the format of "inputFormat"';
      throw new RangeError(`Parameter "${name}" must be a date and time: ${form}`);
    }
    const instant = toInstant(read, zone, inputFormat);
    if (instant === null)
      throw new RangeError(`Parameter "${name}" must be a time that clocks in the time zone do not skip`);
    return DateTime.fromMillis(instant, { zone: timeZone.toUpperCase() === 'Z' ? 'UTC' : timeZone, locale });
  };

const toInstant = (read: DateTime, zone: TimeZone, format = ''): number | null => {
  const local = read.setZone('utc', { keepLocalTime: true }).toMillis();
  if (read.zone === LOCAL) return zone.toInstant(local);
  // The name of a zone, unless an offset says which of two times it is.
  const named = read.zone.isUniversal || format.includes('Z') ? null : findTimeZone(read.zone.name);
  return named === null ? read.toMillis() : named.toInstant(local);
};

/** Luxon has no other way to be given the time. */
const parseAt = (
  local: number,
  value: string | number,
  format: string | undefined,
  locale: string,
): DateTime => {
  const options = { zone: LOCAL, setZone: true, locale };
  const { now } = Settings;
  Settings.now = () => local;
  try {
    if (format !== undefined) return DateTime.fromFormat(String(value), format, options);
    return typeof value === 'number'
      ? DateTime.fromMillis(value, { zone: 'utc' })
      : DateTime.fromISO(value, options);
  } finally {
    Settings.now = now;
  }
};

/** What is wrong with a date format; null for a valid Luxon format. */
export const describeFormat = (format: string): string | null => {
  const meant = suggestLuxonFormat(format);
  if (meant === null) return null;
  const hint = meant === '' ? ', such as "yyyy-MM-dd HH:mm"' : `; did you mean ${JSON.stringify(meant)}?`;
  return `is not in Luxon tokens${hint}`;
};

/** What is wrong with a value in its zone, language and format; null for a time that exists. */
export const describeValue = (reader: JsonObject): string | null => {
  try {
    computeDateTime({ operation: 'convert', duration: {}, unit: 'days', ...reader } as never, 0);
    return null;
  } catch (error) {
    return (error as Error).message.replace(/^Parameter "\w+" /, '');
  }
};
