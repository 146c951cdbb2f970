import { openTimeZone } from '@hookloom/counted-jsonata/times';
import type { JsonObject } from '@hookloom/plugin-kit';
import type { Problem } from '../../workflows/definition/problem.ts';
import { readSchedule } from './read-schedule.ts';
import type { Cron, Schedule } from './schedule.ts';

/**
 * How many local times of a cron expression may pass in a row without firing: more than clocks skip in a day (1,440).
 * Ends an expression whose times are all in skipped hours, year after year.
 */
const MAX_SKIPPED = 2_000;

/** A query for times; instants are in milliseconds since the epoch. */
interface Query {
  /** Earliest time: only later ones are returned. */
  readonly from: number;
  /** Maximum number of times to return. */
  readonly count: number;
  /** When a rate without `startAt` started to count; `from` if absent. */
  readonly createdAt?: number;
}

/**
 * Computes when a schedule fires next, as EventBridge Scheduler does:
 * https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#daylist-savings-time
 * - A local time that clocks skip is left out. One that they show twice fires once; which of the two is not documented,
 * so here it is the first.
 * - A rate counts from `startAt`, or from its creation, which is its first time; a day is 24 hours.
 * - `startAt` and `endAt` are times at which it may fire.
 * @returns instants in milliseconds since the epoch, ascending; fewer than `count` if there are no more
 */
export const nextTimes = async (schedule: Schedule, query: Query): Promise<readonly number[]> => {
  const { timing, startAt, endAt } = schedule;
  switch (timing.kind) {
    case 'cron':
      return nextCronTimes(timing.cron, schedule, query);
    case 'rate': {
      const { from, count, createdAt = from } = query;
      const first = startAt ?? createdAt;
      const passed = Math.max(0, Math.floor((from - first) / timing.periodMs) + 1);
      return Array.from({ length: count }, (_, index) => first + (passed + index) * timing.periodMs).filter(
        (time) => endAt === null || time <= endAt,
      );
    }
    case 'at':
      return query.count > 0 && timing.instant > query.from ? [timing.instant] : [];
  }
};

const nextCronTimes = async (
  { pattern }: Cron,
  { timeZone, startAt, endAt }: Schedule,
  { from, count }: Query,
): Promise<readonly number[]> => {
  const { openCron } = await import('./cron-times.chunk.ts');
  const findNext = openCron(pattern);
  const zone = openTimeZone(timeZone);
  const after = Math.max(from, (startAt ?? from + 1) - 1);
  const times: number[] = [];
  let local = findNext(zone.toLocal(after));
  let skipped = 0;
  while (local !== null && times.length < count && skipped < MAX_SKIPPED) {
    const instant = zone.toInstant(local);
    if (instant !== null && endAt !== null && instant > endAt) break;
    // After the clocks are set back, they show local times again that have already fired.
    const fires = instant !== null && instant > after;
    if (fires) times.push(instant);
    skipped = fires ? 0 : skipped + 1;
    local = findNext(local);
  }
  return times;
};

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
