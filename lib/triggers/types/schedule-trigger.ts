import { closed, defineTrigger, Type } from '@hookloom/plugin-kit';
import { scheduleParameters, toInstant } from '@hookloom/plugin-kit/host';
import { readSchedule } from '../schedule/read-schedule.ts';

/** Fires at its times by means of EventBridge Scheduler. */
export const scheduleTrigger = defineTrigger({
  id: 'scheduleTrigger',
  name: 'Schedule',
  description: 'Starts the workflow on a schedule: by a cron expression, at a rate, or once',
  parameters: scheduleParameters,
  checkParameters: (parameters) => {
    const reading = readSchedule(parameters);
    return 'problems' in reading ? reading.problems : [];
  },
  outputs: {
    main: closed({ triggeredAt: Type.String(), triggerType: Type.String(), scheduledAt: Type.String() }),
  },
  firedBy: {
    register: (trigger, { schedules }) => schedules.put(trigger),
    unregister: (trigger, { schedules }) => schedules.remove(trigger),
    inspect: (trigger, { schedules }) => schedules.inspect(trigger),
    toInput: ({ scheduledAt }) => ({ scheduledAt: toInstant(scheduledAt) }),
    toKey: ({ scheduledAt }) => toInstant(scheduledAt),
  },
  example: {
    parameters: { cron: '0 9 * * 1-5', timeZone: 'Europe/Berlin' },
    input: { scheduledAt: '2026-01-05T08:00:00.000Z' },
    output: {
      triggeredAt: '2026-01-01T00:00:00.000Z',
      triggerType: 'schedule',
      scheduledAt: '2026-01-05T08:00:00.000Z',
    },
  },
  execute: ({ input, context }) => {
    const triggeredAt = new Date(context.services.clock.now()).toISOString();
    // Started by hand, without a time of its schedule.
    return { triggeredAt, triggerType: 'schedule', scheduledAt: triggeredAt, ...input };
  },
});
