import {
  type ApiRequest,
  type Arns,
  type Call,
  type Input,
  optionalText,
  readBody,
  UnknownCall,
} from './call.ts';
import { passRole } from './json-calls.ts';
import { createFindOperation } from './rest-routes.ts';

/** Documented at https://docs.aws.amazon.com/scheduler/latest/APIReference/API_Operations.html */
const findOperation = createFindOperation({
  CreateSchedule: 'POST /schedules/{Name}',
  UpdateSchedule: 'PUT /schedules/{Name}',
  GetSchedule: 'GET /schedules/{Name}',
  DeleteSchedule: 'DELETE /schedules/{Name}',
  ListSchedules: 'GET /schedules',
  GetScheduleGroup: 'GET /schedule-groups/{Name}',
  ListScheduleGroups: 'GET /schedule-groups',
});

export const readSchedulerCall = ({ method, path, query, body }: ApiRequest, arns: Arns): Call => {
  const found = findOperation(method, path.replace(/\/$/, ''), query);
  if (found === null) throw new UnknownCall(`${method} ${path} is not an operation of Scheduler`);
  const { operation, parameters } = found;
  const input: Input = { ...readBody(body), ...parameters };
  const group = optionalText(input, 'GroupName') ?? query.get('groupName') ?? 'default';
  const resources: Readonly<Record<string, string>> = {
    ListSchedules: `schedule/${query.get('ScheduleGroup') ?? '*'}/*`,
    GetScheduleGroup: `schedule-group/${parameters.Name}`,
    ListScheduleGroups: 'schedule-group/*',
  };
  const resource = arns.of('scheduler', resources[operation] ?? `schedule/${group}/${parameters.Name}`);
  const target = (input.Target ?? {}) as Input;
  const role = optionalText(target, 'RoleArn');
  return {
    operation,
    input,
    permissions: [
      { action: `scheduler:${operation}`, resource },
      ...(role === null ? [] : [passRole(role, 'scheduler')]),
    ],
  };
};
