import { Cron } from 'croner';

/**
 * The calendar of a cron expression, without time zones: local times as milliseconds as if they were UTC. The zone is left
 * to the caller, since `croner` treats a change of the clocks as Vixie cron does, and Scheduler otherwise.
 *
 * @param pattern - seven fields, weekdays from 1 for Sunday
 * @returns a function that finds the first local time after another; null when there is none
 */
export const openCron = (pattern: string): ((local: number) => number | null) => {
  const cron = new Cron(pattern, { mode: '7-part', alternativeWeekdays: true, utcOffset: 0 });
  return (local) => cron.nextRun(new Date(local))?.getTime() ?? null;
};
