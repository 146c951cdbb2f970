import {
  type FoundRegistration,
  type JsonObject,
  type RegisteredTrigger,
  type RegistrationContext,
  RegistrationRefused,
  toEnvelope,
} from '@hookloom/plugin-kit';
import { findScheduleProblems } from '../schedule/next-times.ts';
import { readSchedule } from '../schedule/read-schedule.ts';
import { readFailure, requireSuccess } from './aws-failure.ts';
import { RETRIES, schedulerRole, triggerDeadLetters } from './stage-resources.ts';

type Context = Omit<RegistrationContext, 'schedules'>;

/**
 * Makes or updates the schedule of a trigger in the stage's own schedule group.
 * https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html
 */
export const putSchedule = async (trigger: RegisteredTrigger, context: Context): Promise<void> => {
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
};

/** Removes the schedule of a trigger if it exists. */
export const removeSchedule = async (
  { name }: RegisteredTrigger,
  { callAws, prefix }: Context,
): Promise<void> => {
  const path = `/schedules/${name}?groupName=${prefix}`;
  const answer = await callAws({ service: 'scheduler', method: 'DELETE', path });
  requireSuccess('EventBridge Scheduler', answer, 'ResourceNotFoundException');
};

/**
 * Whether the schedule of a trigger exists, and is not switched off.
 * https://docs.aws.amazon.com/scheduler/latest/APIReference/API_GetSchedule.html
 */
export const inspectSchedule = async (
  { name }: RegisteredTrigger,
  { callAws, prefix }: Context,
): Promise<FoundRegistration> => {
  const path = `/schedules/${name}?groupName=${prefix}`;
  const answer = await callAws({ service: 'scheduler', method: 'GET', path });
  if (readFailure(answer)?.name === 'ResourceNotFoundException') return 'missing';
  requireSuccess('EventBridge Scheduler', answer);
  return answer.body.State === 'DISABLED' ? 'off' : 'on';
};

/** @throws RegistrationRefused if the account or the group has no room for another schedule */
const refuseFull = (answer: Parameters<typeof readFailure>[0], group: string): void => {
  const failure = readFailure(answer);
  if (failure?.name === 'ServiceQuotaExceededException')
    throw new RegistrationRefused(`the group ${group} can't hold another schedule: ${failure.message}`);
};

const toDefinition = (trigger: RegisteredTrigger, context: Context): JsonObject => {
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
