import { type CronField, type CronPart, readCronField } from './cron-field.ts';
import { readDays, readUnixDays } from './read-cron-days.ts';
import type { Cron, Reading } from './schedule.ts';

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** The values of AWS's fields: https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based */
const fields = {
  minute: { name: 'minute', min: 0, max: 59, names: [] },
  hour: { name: 'hour', min: 0, max: 23, names: [] },
  month: { name: 'month', min: 1, max: 12, names: MONTHS },
  year: { name: 'year', min: 1970, max: 2199, names: [] },
} satisfies Record<string, CronField>;

/** Maximum length of a cron expression: `ScheduleExpression` has 256 characters, including `cron()` around it. */
const MAX_LENGTH = 250;

/**
 * @param text - five fields as in crontab(5), or AWS's six with `?`, `L`, `W` and `#`
 * @returns a fault if a single expression of AWS can't express it: five fields with both days set, which means either
 * day. Also for what AWS does not document although others support it: `LW`, `L-3`, lists with `L`, `W` or `#`
 */
export const readCron = (text: string): Reading<Cron> => {
  if (text.length > MAX_LENGTH) return { fault: `is longer than ${MAX_LENGTH} characters` };
  const texts = text.trim().toUpperCase().split(/\s+/);
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = '*'] = texts;
  if (texts.length !== 5 && texts.length !== 6) {
    const found = text.trim() === '' ? 0 : texts.length;
    return {
      fault: `must have five fields (minute, hour, day of month, month, day of week) or AWS’s six, with a year; it has ${found}`,
    };
  }
  const days = texts.length === 5 ? readUnixDays(dayOfMonth, dayOfWeek) : readDays(dayOfMonth, dayOfWeek);
  if ('fault' in days) return days;
  const read = [
    readCronField(minute, fields.minute),
    readCronField(hour, fields.hour),
    { value: days.value.dayOfMonth },
    readCronField(month, fields.month),
    { value: days.value.dayOfWeek },
    readCronField(year, fields.year),
  ];
  const parts: CronPart[] = [];
  for (const part of read) {
    if ('fault' in part) return part;
    parts.push(part.value);
  }
  const cron = {
    fields: parts.map((part) => part.text).join(' '),
    pattern: ['0', ...parts.map(({ pattern }) => pattern)].join(' '),
  };
  if (cron.fields.length <= MAX_LENGTH) return { value: cron };
  return {
    fault:
      'is too long for EventBridge Scheduler, because ranges with steps are written as lists; use A/STEP',
  };
};
