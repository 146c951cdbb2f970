import { Cron } from 'croner';

/**
 * The calendar of a cron expression, without time zones: local times are milliseconds as if they were UTC. The caller
 * applies the zone, since `croner` handles clock changes like Vixie cron, unlike Scheduler.
 * @param pattern - seven fields, weekdays from 1 for Sunday
 * @returns a function that finds the first local time after another; null if there is none
 */
export const openCron = (pattern: string): ((local: number) => number | null) => {
  const cron = new Cron(pattern, { mode: '7-part', alternativeWeekdays: true, utcOffset: 0 });
  return (local) => cron.nextRun(new Date(local))?.getTime() ?? null;
};
