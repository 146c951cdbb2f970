import { openTimeZone } from '@hookloom/counted-jsonata/times';
import { nextTimes } from '../../../lib/triggers/schedule/next-times.ts';
import { readSchedule } from '../../../lib/triggers/schedule/read-schedule.ts';
import { SCHEDULED_TRIGGERS } from '../../../lib/triggers/schedule/schedule.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import type { TriggerTimes } from '../../../lib/workflows/definition/problem.ts';

const COUNT = 5;

/**
 * Finds the next times of a workflow's schedules. Disabled triggers and disabled workflows have none.
 *
 * @param now - milliseconds since the epoch
 */
export const findTimes = async (
  { enabled, nodes }: WorkflowDefinition,
  now: number,
): Promise<readonly TriggerTimes[]> => {
  const schedules = nodes.filter(
    ({ type, disabled }) => SCHEDULED_TRIGGERS.includes(type) && disabled !== true,
  );
  const found: TriggerTimes[] = [];
  for (const { id, parameters } of enabled ? schedules : []) {
    const reading = readSchedule(parameters);
    if ('problems' in reading) continue; // reported by the check of its parameters
    const times = await nextTimes(reading.schedule, { from: now, count: COUNT });
    found.push({ triggerNodeId: id, times: times.map(toLocalText(reading.schedule.timeZone)) });
  }
  return found;
};

const MINUTE_MS = 60_000;

/** Formats a time with its offset, as in `2026-11-23T09:00:00+01:00`. */
const toLocalText = (timeZone: string) => {
  const zone = openTimeZone(timeZone);
  return (instant: number): string => {
    const local = zone.toLocal(instant);
    const minutes = Math.round((local - instant) / MINUTE_MS);
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
    const offset = `${minutes < 0 ? '-' : '+'}${toTwoDigits(hours)}:${toTwoDigits(rest)}`;
    return `${new Date(local).toISOString().slice(0, 19)}${offset}`;
  };
};

const toTwoDigits = (value: number): string => String(value).padStart(2, '0');
