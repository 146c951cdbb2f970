/** When a trigger fires, as read by `readSchedule`. Instants are milliseconds since the epoch. */
export interface Schedule {
  readonly timing: Timing;
  /** `ScheduleExpression` of EventBridge Scheduler: https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html */
  readonly expression: string;
  /** IANA name of the time zone. */
  readonly timeZone: string;
  /** Nothing fires before; null for no limit. */
  readonly startAt: number | null;
  /** Nothing fires after; null for no limit. */
  readonly endAt: number | null;
  /** How many minutes late Scheduler may fire; null for on time. */
  readonly flexibleMinutes: number | null;
}

export type Timing =
  | { readonly kind: 'cron'; readonly cron: Cron }
  | { readonly kind: 'rate'; readonly periodMs: number }
  | { readonly kind: 'at'; readonly instant: number };

/** A cron expression in AWS's six fields. */
export interface Cron {
  /** The six fields, without `cron(…)` around them. */
  readonly fields: string;
  /** The pattern for `croner`: seven fields, seconds first, with weekdays from 1 for Sunday. */
  readonly pattern: string;
}

/** The types of the triggers that have a schedule. */
export const SCHEDULED_TRIGGERS: readonly string[] = [
  'scheduleTrigger',
  'pollTrigger',
  'rssTrigger',
  'imapTrigger',
];

/** What is wrong with the text of a parameter, as the end of a sentence about it. */
export class ScheduleFault extends Error {}

export const refuseText = (fault: string): never => {
  throw new ScheduleFault(fault);
};
