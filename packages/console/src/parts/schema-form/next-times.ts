import type { JsonObject } from '@hookloom/plugin-kit';
import { nextTimes } from '../../../../../lib/triggers/schedule/next-times.ts';
import { readSchedule } from '../../../../../lib/triggers/schedule/read-schedule.ts';

const COUNT = 5;

/**
 * When a schedule fires next, as lines in its time zone; or what is wrong with it.
 *
 * @param parameters - of a schedule trigger
 * @param now - milliseconds since the epoch
 */
export const describeTimes = async (parameters: JsonObject, now: number): Promise<readonly string[]> => {
  const reading = readSchedule(parameters);
  if ('problems' in reading)
    return reading.problems.map(({ path, message }) => `${path.slice(1) || 'It'} ${message}`);
  const { schedule } = reading;
  const times = await nextTimes(schedule, { from: now, count: COUNT });
  const format = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'full',
    timeStyle: 'short',
    timeZone: schedule.timeZone,
  });
  return times.length === 0
    ? ['It never fires.']
    : times.map((time) => `${format.format(time)} (${schedule.timeZone})`);
};
