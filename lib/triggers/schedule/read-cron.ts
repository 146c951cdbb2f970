import { type CronField, type CronValues, readCronField, readCronValue } from './cron-field.ts';
import type { Cron, Reading } from './schedule.ts';

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** The values of AWS's fields: https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based */
const fields = {
  minute: { name: 'minute', min: 0, max: 59, names: [] },
  hour: { name: 'hour', min: 0, max: 23, names: [] },
  dayOfMonth: { name: 'day of month', min: 1, max: 31, names: [] },
  month: { name: 'month', min: 1, max: 12, names: MONTHS },
  dayOfWeek: { name: 'day of week', min: 1, max: 7, names: DAYS },
  year: { name: 'year', min: 1970, max: 2199, names: [] },
} satisfies Record<string, CronField>;

/** Days of the week in five fields: 0 and 7 are Sunday. */
const unixDayOfWeek: CronField = { ...fields.dayOfWeek, min: 0 };

/** Characters of a cron expression that are read: `ScheduleExpression` has 256, with `cron()` around it. */
const MAX_LENGTH = 250;

/** A field as AWS has it, and for `croner`, which has no `A/STEP`. */
interface Field {
  readonly text: string;
  readonly pattern: string;
}

/**
 * @param text - five fields as in crontab(5), or AWS's six with `?`, `L`, `W` and `#`
 * @returns a fault for what one expression of AWS cannot say: five fields with both days set, which means either day. Also
 *   for what AWS does not document, though others know it: `LW`, `L-3`, lists with `L`, `W` or `#`
 */
export const readCron = (text: string): Reading<Cron> => {
  if (text.length > MAX_LENGTH) return { fault: `is longer than ${MAX_LENGTH} characters` };
  const parts = text.trim().toUpperCase().split(/\s+/);
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = '*'] = parts;
  if (parts.length !== 5 && parts.length !== 6) {
    const found = text.trim() === '' ? 0 : parts.length;
    return {
      fault: `must have five fields, minute, hour, day of month, month and day of week, or AWS’s six with a year, and has ${found}`,
    };
  }
  const days = parts.length === 5 ? readUnixDays(dayOfMonth, dayOfWeek) : readDays(dayOfMonth, dayOfWeek);
  if ('fault' in days) return days;
  const read = [
    toField(readCronField(minute, fields.minute)),
    toField(readCronField(hour, fields.hour)),
    { value: days.value.dayOfMonth },
    toField(readCronField(month, fields.month)),
    { value: days.value.dayOfWeek },
    toField(readCronField(year, fields.year)),
  ];
  const values: Field[] = [];
  for (const field of read) {
    if ('fault' in field) return field;
    values.push(field.value);
  }
  const cron = {
    fields: values.map((field) => field.text).join(' '),
    pattern: ['0', ...values.map(({ pattern }) => pattern)].join(' '),
  };
  if (cron.fields.length <= MAX_LENGTH) return { value: cron };
  return {
    fault: 'is too long for EventBridge Scheduler once its ranges with steps are lists: write A/STEP',
  };
};

interface Days {
  readonly dayOfMonth: Field;
  readonly dayOfWeek: Field;
}

const anyDay: Field = { text: '?', pattern: '*' };

const readDays = (dayOfMonth: string, dayOfWeek: string): Reading<Days> => {
  if ((dayOfMonth === '?') === (dayOfWeek === '?'))
    return {
      fault: 'must have "?" in exactly one of day of month and day of week, the one that does not matter',
    };
  if (dayOfMonth === '?') {
    const read = readDayOfWeek(dayOfWeek);
    return 'fault' in read ? read : { value: { dayOfMonth: anyDay, dayOfWeek: read.value } };
  }
  const read = readDayOfMonth(dayOfMonth);
  return 'fault' in read ? read : { value: { dayOfMonth: read.value, dayOfWeek: anyDay } };
};

const readDayOfMonth = (text: string): Reading<Field> => {
  if (text === 'L') return { value: { text, pattern: text } };
  if (!/[LW]/.test(text)) return toField(readCronField(text, fields.dayOfMonth));
  const near = text.endsWith('W') ? readCronValue(text.slice(0, -1), fields.dayOfMonth) : null;
  if (near !== null) return { value: { text, pattern: text } };
  return { fault: 'day of month: must be "L" or a day with "W", such as "15W", and nothing beside it' };
};

const readDayOfWeek = (text: string): Reading<Field> => {
  if (text === 'L') return { value: { text: '7', pattern: '7' } };
  const [day = '', nth, ...more] = text.split('#');
  const isLast = text.endsWith('L') && nth === undefined;
  if (nth === undefined && !isLast) return toDayOfWeek(readCronField(text, fields.dayOfWeek));
  const value = readCronValue(isLast ? text.slice(0, -1) : day, fields.dayOfWeek);
  if (value === null || more.length > 0 || (nth !== undefined && !/^[1-5]$/.test(nth)))
    return {
      fault:
        'day of week: must be a day with "L", such as "6L", or with "#" and 1 to 5, such as "2#1", and nothing beside it',
    };
  const last = isLast ? `${value}L` : `${value}#${nth}`;
  return { value: { text: last, pattern: last } };
};

/** Days of five fields. One that is restricted leaves the other one open; two are either, which AWS's fields cannot say. */
const readUnixDays = (dayOfMonth: string, dayOfWeek: string): Reading<Days> => {
  if (/[?LW]/.test(dayOfMonth) || /[?#]|L$/.test(dayOfWeek))
    return { fault: 'has "?", "L", "W" or "#" in five fields: add the year as the sixth, such as "*"' };
  if (dayOfMonth !== '*' && dayOfWeek !== '*')
    return {
      fault:
        'has a day of month and a day of week: in five fields that means either day, which EventBridge Scheduler cannot say. Write two triggers, each with "*" in one of the fields',
    };
  if (dayOfWeek === '*') {
    const read = toField(readCronField(dayOfMonth, fields.dayOfMonth));
    return 'fault' in read ? read : { value: { dayOfMonth: read.value, dayOfWeek: anyDay } };
  }
  const read = readCronField(dayOfWeek, unixDayOfWeek);
  if ('fault' in read) return read;
  const values = [...new Set(read.value.values.map((day) => (day % 7) + 1))].sort((a, b) => a - b);
  const text = values.join(',');
  return { value: { dayOfMonth: anyDay, dayOfWeek: { text, pattern: text } } };
};

/** AWS documents no step for days of the week. */
const toDayOfWeek = (read: Reading<CronValues>): Reading<Field> => {
  const field = toField(read);
  return 'value' in field && field.value.text.includes('/')
    ? { value: { text: field.value.pattern, pattern: field.value.pattern } }
    : field;
};

const toField = (read: Reading<CronValues>): Reading<Field> =>
  'fault' in read ? read : { value: { text: read.value.text, pattern: read.value.values.join(',') } };
