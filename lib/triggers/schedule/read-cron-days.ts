import { type CronField, type CronPart, listValues, readCronField, readCronValue } from './cron-field.ts';
import type { Reading } from './schedule.ts';

const dayOfMonthField: CronField = { name: 'day of month', min: 1, max: 31, names: [] };

const dayOfWeekField: CronField = {
  name: 'day of week',
  min: 1,
  max: 7,
  names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
};

/** Days of the week in five fields: 0 and 7 are Sunday. */
const unixDayOfWeekField: CronField = { ...dayOfWeekField, min: 0 };

/** Both day fields; the one that does not matter is `?`. */
interface Days {
  readonly dayOfMonth: CronPart;
  readonly dayOfWeek: CronPart;
}

const anyDay: CronPart = { text: '?', pattern: '*' };

/** Reads the days of an expression of six fields: one is `?`, and the other one matters. */
export const readDays = (dayOfMonth: string, dayOfWeek: string): Reading<Days> => {
  if ((dayOfMonth === '?') === (dayOfWeek === '?'))
    return {
      fault: 'must have "?" in exactly one of day of month and day of week: the one that does not matter',
    };
  if (dayOfMonth === '?') {
    const read = readDayOfWeek(dayOfWeek);
    return 'fault' in read ? read : { value: { dayOfMonth: anyDay, dayOfWeek: read.value } };
  }
  const read = readDayOfMonth(dayOfMonth);
  return 'fault' in read ? read : { value: { dayOfMonth: read.value, dayOfWeek: anyDay } };
};

const readDayOfMonth = (text: string): Reading<CronPart> => {
  if (text === 'L') return { value: { text, pattern: text } };
  if (!/[LW]/.test(text)) return readCronField(text, dayOfMonthField);
  const near = text.endsWith('W') ? readCronValue(text.slice(0, -1), dayOfMonthField) : null;
  if (near !== null) return { value: { text: `${near}W`, pattern: `${near}W` } };
  return { fault: 'day of month: must be only "L", or only a day with "W", such as "15W"' };
};

const readDayOfWeek = (text: string): Reading<CronPart> => {
  if (text === 'L') return { value: { text: '7', pattern: '7' } };
  const [day = '', nth, ...more] = text.split('#');
  const isLast = text.endsWith('L') && nth === undefined;
  if (nth === undefined && !isLast) return readWeekdays(text);
  const value = readCronValue(isLast ? text.slice(0, -1) : day, dayOfWeekField);
  if (value === null || more.length > 0 || (nth !== undefined && !/^[1-5]$/.test(nth)))
    return {
      fault:
        'day of week: must be only a day with "L", such as "6L", or only a day with "#" and 1 to 5, such as "2#1"',
    };
  const chosen = isLast ? `${value}L` : `${value}#${nth}`;
  return { value: { text: chosen, pattern: chosen } };
};

/** Days of the week without a letter. AWS documents no step for them, so a step becomes a list of its values. */
const readWeekdays = (text: string): Reading<CronPart> => {
  const read = readCronField(text, dayOfWeekField);
  if ('fault' in read || !text.includes('/')) return read;
  const { pattern } = read.value;
  return { value: { text: pattern, pattern } };
};

/**
 * Reads the days of an expression of five fields. At most one may be restricted: two mean either, which AWS's fields
 * can't express.
 */
export const readUnixDays = (dayOfMonth: string, dayOfWeek: string): Reading<Days> => {
  if (/[?LW]/.test(dayOfMonth) || /[?#]|L$/.test(dayOfWeek))
    return { fault: 'has "?", "L", "W" or "#" in five fields: add the year as the sixth, such as "*"' };
  if (dayOfMonth !== '*' && dayOfWeek !== '*')
    return {
      fault:
        'has both a day of month and a day of week. In five fields that means either day, which EventBridge Scheduler cannot express. Use two triggers, each with "*" in one of the two fields',
    };
  if (dayOfWeek === '*') {
    const read = readCronField(dayOfMonth, dayOfMonthField);
    return 'fault' in read ? read : { value: { dayOfMonth: read.value, dayOfWeek: anyDay } };
  }
  const read = readCronField(dayOfWeek, unixDayOfWeekField);
  if ('fault' in read) return read;
  const { pattern } = listValues(new Set(read.value.values.map((day) => (day % 7) + 1)));
  return { value: { dayOfMonth: anyDay, dayOfWeek: { text: pattern, pattern } } };
};
