import { suggestLuxonFormat } from '@hookloom/counted-jsonata';
import { type JsonObject, wrongParameter } from '@hookloom/plugin-kit';
import { DateTime, IANAZone } from 'luxon';

type Unit =
  | 'years'
  | 'quarters'
  | 'months'
  | 'weeks'
  | 'days'
  | 'hours'
  | 'minutes'
  | 'seconds'
  | 'milliseconds';

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

const durationUnits = new Set<string>([
  'years',
  'quarters',
  'months',
  'weeks',
  'days',
  'hours',
  'minutes',
  'seconds',
  'milliseconds',
]);

/**
 * Does calculations with a date and time.
 * @param now - milliseconds since the epoch, used if no value is given
 * @throws RangeError with the parameter that is not a valid date, time zone, language or duration
 */
export const computeDateTime = (options: DateTimeOptions, now: number): JsonObject => {
  const { operation, value = now, unit, format, until } = options;
  checkZoneAndLocale(options);
  checkFormats(options);
  const date = read(value, 'value', options);
  if (operation === 'difference') {
    if (until === undefined) throw wrongParameter('until', 'a string or a number', until);
    return { difference: read(until, 'until', options).diff(date, unit).as(unit) };
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
    if (!durationUnits.has(unit))
      throw new RangeError(`Parameter "duration" must only have the keys ${[...durationUnits].join(', ')}`);
  }
  return duration;
};

const checkZoneAndLocale = ({ timeZone, locale }: DateTimeOptions): void => {
  if (!IANAZone.isValidZone(timeZone))
    throw new RangeError('Parameter "timeZone" must be a name of the IANA database, such as Europe/Oslo');
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

const read = (value: string | number, name: string, options: DateTimeOptions): DateTime => {
  const { inputFormat, timeZone, locale } = options;
  const date = parse(value, inputFormat, { zone: timeZone, locale });
  if (date.isValid) return date;
  const form =
    inputFormat === undefined ? 'ISO 8601, or milliseconds since 1970' : 'in the format of "inputFormat"';
  throw new RangeError(`Parameter "${name}" must be a date and time: ${form}`);
};

const parse = (
  value: string | number,
  format: string | undefined,
  options: { readonly zone: string; readonly locale: string },
): DateTime => {
  if (format !== undefined) return DateTime.fromFormat(String(value), format, options);
  return typeof value === 'number' ? DateTime.fromMillis(value, options) : DateTime.fromISO(value, options);
};

/** What is wrong with a date format; null for a valid Luxon format. */
export const describeFormat = (format: string): string | null => {
  const meant = suggestLuxonFormat(format);
  if (meant === null) return null;
  const hint = meant === '' ? ', such as "yyyy-MM-dd HH:mm"' : `; did you mean ${JSON.stringify(meant)}?`;
  return `is not in Luxon tokens${hint}`;
};
