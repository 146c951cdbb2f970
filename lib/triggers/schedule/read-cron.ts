import { quote } from '../../shared/describe.ts';
import { type Cron, refuseText } from './schedule.ts';

const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** The values of AWS's fields: https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based */
const fields = {
  minute: { name: 'minute', min: 0, max: 59, names: [] },
  hour: { name: 'hour', min: 0, max: 23, names: [] },
  dayOfMonth: { name: 'day of month', min: 1, max: 31, names: [] },
  month: { name: 'month', min: 1, max: 12, names: MONTHS },
  dayOfWeek: { name: 'day of week', min: 1, max: 7, names: WEEKDAYS },
  /** In five fields: 0 and 7 are Sunday. */
  unixDayOfWeek: { name: 'day of week', min: 0, max: 7, names: WEEKDAYS },
  year: { name: 'year', min: 1970, max: 2199, names: [] },
} satisfies Record<string, CronField>;

/** Maximum length of a cron expression: `ScheduleExpression` has 256 characters, including `cron()` around it. */
const MAX_LENGTH = 250;

/**
 * @param text - five fields as in crontab(5), or AWS's six with `?`, `L`, `W` and `#`
 * @throws ScheduleFault if a single expression of AWS can't express it: five fields with both days set, which means
 * either day. Also for what AWS does not document although others support it: `LW`, `L-3`, lists with `L`, `W` or `#`
 */
export const readCron = (text: string): Cron => {
  if (text.length > MAX_LENGTH) return refuseText(`is longer than ${MAX_LENGTH} characters`);
  const texts = text.trim().toUpperCase().split(/\s+/);
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = '*'] = texts;
  if (texts.length !== 5 && texts.length !== 6) {
    const found = text.trim() === '' ? 0 : texts.length;
    return refuseText(
      `must have five fields (minute, hour, day of month, month, day of week) or AWS’s six, with a year; it has ${found}`,
    );
  }
  const days = texts.length === 5 ? readUnixDays(dayOfMonth, dayOfWeek) : readDays(dayOfMonth, dayOfWeek);
  const parts: readonly CronPart[] = [
    readCronField(minute, fields.minute),
    readCronField(hour, fields.hour),
    days.dayOfMonth,
    readCronField(month, fields.month),
    days.dayOfWeek,
    readCronField(year, fields.year),
  ];
  const cron = {
    fields: parts.map((part) => part.text).join(' '),
    pattern: ['0', ...parts.map(({ pattern }) => pattern)].join(' '),
  };
  if (cron.fields.length <= MAX_LENGTH) return cron;
  return refuseText(
    'is too long for EventBridge Scheduler, because ranges with steps are written as lists; use A/STEP',
  );
};

/** Both day fields; the one that does not matter is `?`. */
interface Days {
  readonly dayOfMonth: CronPart;
  readonly dayOfWeek: CronPart;
}

const anyDay: CronPart = { text: '?', pattern: '*' };

/** Reads the days of an expression of six fields: one is `?`, and the other one matters. */
const readDays = (dayOfMonth: string, dayOfWeek: string): Days => {
  if ((dayOfMonth === '?') === (dayOfWeek === '?'))
    refuseText('must have "?" in exactly one of day of month and day of week: the one that does not matter');
  return dayOfMonth === '?'
    ? { dayOfMonth: anyDay, dayOfWeek: readDayOfWeek(dayOfWeek) }
    : { dayOfMonth: readDayOfMonth(dayOfMonth), dayOfWeek: anyDay };
};

/** A part that both syntaxes write alike. */
const alike = (text: string): CronPart => ({ text, pattern: text });

const readDayOfMonth = (text: string): CronPart => {
  if (text === 'L') return alike(text);
  if (!/[LW]/.test(text)) return readCronField(text, fields.dayOfMonth);
  const near = text.endsWith('W') ? readCronValue(text.slice(0, -1), fields.dayOfMonth) : null;
  if (near !== null) return alike(`${near}W`);
  return refuseText('day of month: must be only "L", or only a day with "W", such as "15W"');
};

const readDayOfWeek = (text: string): CronPart => {
  if (text === 'L') return alike('7');
  const [day = '', nth, ...more] = text.split('#');
  const isLast = text.endsWith('L') && nth === undefined;
  if (nth === undefined && !isLast) return readWeekdays(text);
  const value = readCronValue(isLast ? text.slice(0, -1) : day, fields.dayOfWeek);
  if (value === null || more.length > 0 || (nth !== undefined && !/^[1-5]$/.test(nth)))
    refuseText(
      'day of week: must be only a day with "L", such as "6L", or only a day with "#" and 1 to 5, such as "2#1"',
    );
  return alike(isLast ? `${value}L` : `${value}#${nth}`);
};

/** Days of the week without a letter. AWS documents no step for them, so a step becomes a list of its values. */
const readWeekdays = (text: string): CronPart => {
  const read = readCronField(text, fields.dayOfWeek);
  return text.includes('/') ? alike(read.pattern) : read;
};

/**
 * Reads the days of an expression of five fields. At most one may be restricted: two mean either, which AWS's fields
 * can't express.
 */
const readUnixDays = (dayOfMonth: string, dayOfWeek: string): Days => {
  if (/[?LW]/.test(dayOfMonth) || /[?#]|L$/.test(dayOfWeek))
    refuseText('has "?", "L", "W" or "#" in five fields: add the year as the sixth, such as "*"');
  if (dayOfMonth !== '*' && dayOfWeek !== '*')
    refuseText(
      'has both a day of month and a day of week. In five fields that means either day, which EventBridge Scheduler cannot express. Use two triggers, each with "*" in one of the two fields',
    );
  if (dayOfWeek === '*')
    return { dayOfMonth: readCronField(dayOfMonth, fields.dayOfMonth), dayOfWeek: anyDay };
  const { values } = readCronField(dayOfWeek, fields.unixDayOfWeek);
  const { pattern } = listValues(new Set(values.map((day) => (day % 7) + 1)));
  return { dayOfMonth: anyDay, dayOfWeek: alike(pattern) };
};

/** What may be written in one field of a cron expression. */
interface CronField {
  /** The field's name in messages. */
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of the values, from the lowest. */
  readonly names: readonly string[];
}

/** A field of a cron expression as it was read. */
interface CronPart {
  /** The field in AWS's syntax. */
  readonly text: string;
  /** In the syntax of `croner`, which has no `A/STEP`: a list of the values, or a letter with its day. */
  readonly pattern: string;
}

/** A field without letters: its values, ascending and each once. */
interface CronValues extends CronPart {
  readonly values: readonly number[];
}

/** A value, a range or `*`, with or without a step. */
const ITEM = /^(?:\*|([A-Z\d]{1,9})(?:-([A-Z\d]{1,9}))?)(?:\/(\d{1,9}))?$/;

/** @param text - in capitals, with commas between the items */
const readCronField = (text: string, field: CronField): CronValues => {
  const items = text.split(',').map((item) => readItem(item, field));
  const texts = items.map((item) => item.text);
  const values = new Set(items.flatMap((item) => item.values));
  return { text: texts.includes('*') ? '*' : texts.join(','), ...listValues(values) };
};

/** Writes values as a list for `croner`. */
const listValues = (values: Iterable<number>): Omit<CronValues, 'text'> => {
  const sorted = [...values].sort((a, b) => a - b);
  return { values: sorted, pattern: sorted.join(',') };
};

const readItem = (item: string, field: CronField): Omit<CronValues, 'pattern'> => {
  const refuse = (fault: string): never => refuseText(`${field.name}: ${quote(item)} ${fault}`);
  const [match, first, last, step] = ITEM.exec(item) ?? [];
  if (match === undefined) refuse(`must be "*", a value, "A-B" or "A/STEP", ${describeRange(field)}`);
  const by = Number(step ?? 1);
  if (by < 1 || by > field.max) refuse(`must have a step from 1 to ${field.max}`);
  const from = first === undefined ? field.min : readCronValue(first, field);
  const to = last === undefined ? from : readCronValue(last, field);
  if (from === null || to === null) return refuse(`is not ${describeRange(field)}`);
  if (last !== undefined && from > to) refuse('is a range that runs backwards; write two ranges');
  if (step === undefined) {
    if (first === undefined) return { text: '*', values: rangeOf(field.min, field.max, 1) };
    const ends = last === undefined ? [first] : [first, last];
    return { text: ends.map(withoutZeros).join('-'), values: rangeOf(from, to, 1) };
  }
  const values = rangeOf(from, last === undefined ? field.max : to, by);
  // AWS knows a start with a step; a range with a step becomes a list of its values.
  return { text: last === undefined ? `${from}/${by}` : values.join(','), values };
};

/** Reads a value of a field. @returns null if it is neither a number of the field nor a name */
const readCronValue = (text: string, { names, min, max }: CronField): number | null => {
  const named = names.indexOf(text);
  if (named >= 0) return min + named;
  const value = Number(text);
  return /^\d+$/.test(text) && value >= min && value <= max ? value : null;
};

const withoutZeros = (text: string): string => (/^\d+$/.test(text) ? `${Number(text)}` : text);

const describeRange = ({ min, max, names }: CronField): string =>
  `from ${min} to ${max}${names.length === 0 ? '' : ` or ${names[0]} to ${names.at(-1)}`}`;

const rangeOf = (from: number, to: number, step: number): readonly number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
