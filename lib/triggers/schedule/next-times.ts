import type { Cron, Schedule } from './schedule.ts';
import { openTimeZone } from './time-zone.ts';

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
