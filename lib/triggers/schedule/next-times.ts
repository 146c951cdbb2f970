import type { Cron, Schedule } from './schedule.ts';
import { openTimeZone } from './time-zone.ts';

/**
 * Local times of a cron expression that may pass in a row without firing: more than clocks skip in a day (1,440). An
 * expression whose times fall into skipped hours alone, year after year, ends here.
 */
const MAX_SKIPPED = 2_000;

/** Instants in milliseconds since the epoch. */
interface Query {
  /** Only later times are given. */
  readonly from: number;
  /** At most this many. */
  readonly count: number;
  /** When a rate without `startAt` began to count; `from` when absent. */
  readonly createdAt?: number;
}

/**
 * When a schedule fires next, as EventBridge Scheduler does:
 * https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#daylist-savings-time
 *
 * - A local time that clocks skip is left out. One that they show twice fires once; which of the two is not documented,
 *   and here it is the first.
 * - A rate counts from `startAt`, or from its creation, which is its first time; a day is 24 hours.
 * - `startAt` and `endAt` are times at which it may fire.
 *
 * @returns instants in milliseconds since the epoch, ascending; fewer than `count` when there are no more
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
    // After a change back, clocks show local times again that have fired.
    const fires = instant !== null && instant > after;
    if (fires) times.push(instant);
    skipped = fires ? 0 : skipped + 1;
    local = findNext(local);
  }
  return times;
};
