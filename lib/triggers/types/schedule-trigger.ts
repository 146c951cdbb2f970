import {
  defineTrigger,
  type JsonObject,
  type RegisteredTrigger,
  type RegistrationContext,
  RegistrationRefused,
  Type,
  toEnvelope,
} from '@hookloom/plugin-kit';
import { findScheduleProblems } from '../schedule/next-times.ts';
import { readSchedule } from '../schedule/read-schedule.ts';
import { readFailure, requireSuccess } from './aws-failure.ts';
import { RETRIES, schedulerRole, triggerDeadLetters } from './stage-resources.ts';

/**
 * Fires at its times by means of EventBridge Scheduler, in the stage's own schedule group.
 * https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html
 */
export const scheduleTrigger = defineTrigger({
  id: 'scheduleTrigger',
  name: 'Schedule',
  description: 'Starts the workflow on a schedule: by a cron expression, at a rate, or once',
  parameters: Type.Object({
    cron: Type.Optional(
      Type.String({
        format: 'cron-expression',
        description:
          'Five fields (minute, hour, day of month, month, day of week), or the six of AWS, which end with the year',
      }),
    ),
    rate: Type.Optional(
      Type.String({ description: 'An interval such as `5 minutes`, `1 hour` or `2 days`' }),
    ),
    at: Type.Optional(
      Type.String({ description: 'A single time in the time zone, such as `2027-01-31T09:00:00`' }),
    ),
    timeZone: Type.Optional(Type.String({ description: 'Name in the IANA database', default: 'UTC' })),
    startAt: Type.Optional(Type.String({ description: 'Nothing fires before this time (ISO 8601)' })),
    endAt: Type.Optional(Type.String({ description: 'Nothing fires after this time (ISO 8601)' })),
    flexibleMinutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_440,
        description: 'How many minutes late it may fire, which spreads the load',
      }),
    ),
  }),
  checkParameters: (parameters) => {
    const reading = readSchedule(parameters);
    return 'problems' in reading ? reading.problems : [];
  },
  firedBy: {
    register: async (trigger, context) => {
      const [problem] = await findScheduleProblems(trigger.parameters, context.now());
      if (problem !== undefined) throw new RegistrationRefused(problem.message, problem.path);
      const path = `/schedules/${trigger.name}`;
      const body = toDefinition(trigger, context);
      const created = await context.callAws({ service: 'scheduler', method: 'POST', path, body });
      const isThere = readFailure(created)?.name === 'ConflictException';
      const answer = isThere
        ? await context.callAws({ service: 'scheduler', method: 'PUT', path, body })
        : created;
      refuseFull(answer, context.prefix);
      requireSuccess('EventBridge Scheduler', answer);
    },
    unregister: async ({ name }, { callAws, prefix }) => {
      const path = `/schedules/${name}?groupName=${prefix}`;
      const answer = await callAws({ service: 'scheduler', method: 'DELETE', path });
      requireSuccess('EventBridge Scheduler', answer, 'ResourceNotFoundException');
    },
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

/** @throws RegistrationRefused if the account or the group has no room for another schedule */
const refuseFull = (answer: Parameters<typeof readFailure>[0], group: string): void => {
  const failure = readFailure(answer);
  if (failure?.name === 'ServiceQuotaExceededException')
    throw new RegistrationRefused(`the group ${group} can't hold another schedule: ${failure.message}`);
};

/** Reads when a schedule fired. @throws TypeError if it is not a time, since then the event is not a schedule's */
const toInstant = (scheduledAt: unknown): string => {
  const time = new Date(String(scheduledAt));
  if (Number.isNaN(time.getTime())) throw new TypeError('the event has no "scheduledAt"');
  return time.toISOString();
};

const toDefinition = (trigger: RegisteredTrigger, context: RegistrationContext): JsonObject => {
  const reading = readSchedule(trigger.parameters);
  if ('problems' in reading) throw new RegistrationRefused(String(reading.problems[0]?.message));
  const { expression, timeZone, startAt, endAt, flexibleMinutes } = reading.schedule;
  const input = { ...toEnvelope(trigger), scheduledAt: '<aws.scheduler.scheduled-time>' };
  return {
    GroupName: context.prefix,
    Description: `${trigger.workflowId} ${trigger.triggerNodeId}`,
    ScheduleExpression: expression,
    ScheduleExpressionTimezone: timeZone,
    // Scheduler refuses a start that has passed.
    ...(startAt === null || startAt <= context.now() ? {} : { StartDate: startAt / 1_000 }),
    ...(endAt === null ? {} : { EndDate: endAt / 1_000 }),
    FlexibleTimeWindow:
      flexibleMinutes === null
        ? { Mode: 'OFF' }
        : { Mode: 'FLEXIBLE', MaximumWindowInMinutes: flexibleMinutes },
    State: 'ENABLED',
    Target: {
      Arn: context.dispatchArn,
      RoleArn: schedulerRole(context),
      Input: JSON.stringify(input),
      RetryPolicy: RETRIES,
      DeadLetterConfig: { Arn: triggerDeadLetters(context) },
    },
  };
};
