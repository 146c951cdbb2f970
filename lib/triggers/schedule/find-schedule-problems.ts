import type { JsonObject } from '@hookloom/plugin-kit';
import type { Problem } from '../../workflows/definition/problem.ts';
import { nextTimes } from './next-times.ts';
import { readSchedule } from './read-schedule.ts';
import type { Schedule } from './schedule.ts';

/**
 * Why EventBridge Scheduler would refuse a schedule or never fire it.
 * @param parameters - as for `readSchedule`
 * @param now - milliseconds since the epoch
 * @returns problems with JSON pointers into the parameters
 */
export const findScheduleProblems = async (
  parameters: JsonObject,
  now: number,
): Promise<readonly Problem[]> => {
  const reading = readSchedule(parameters);
  if ('problems' in reading) return reading.problems;
  const { schedule } = reading;
  if (schedule.endAt !== null && schedule.endAt <= now)
    return [{ path: '/endAt', message: 'is in the past, so the schedule never fires' }];
  const times = await nextTimes(schedule, { from: now, count: 1 });
  return times.length > 0 ? [] : [{ path: `/${schedule.timing.kind}`, message: describeSilence(schedule) }];
};

const describeSilence = ({ timing, startAt, endAt, timeZone }: Schedule): string => {
  if (timing.kind === 'at') return `is in the past in the time zone ${timeZone}, so it never fires`;
  if (endAt !== null) return `never fires ${startAt === null ? 'before' : 'between "startAt" and'} "endAt"`;
  return 'never fires: no future day matches its year, month and day at a time that exists in the time zone';
};
