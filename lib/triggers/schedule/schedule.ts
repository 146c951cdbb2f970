/** When a trigger fires, as `readSchedule` read it. Instants are milliseconds since the epoch. */
export interface Schedule {
  readonly timing: Timing;
  /** `ScheduleExpression` of EventBridge Scheduler: https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html */
  readonly expression: string;
  /** IANA name. */
  readonly timeZone: string;
  /** Nothing fires before; null for no limit. */
  readonly startAt: number | null;
  /** Nothing fires after; null for no limit. */
  readonly endAt: number | null;
  /** Minutes within which Scheduler may fire, from each time on; null for at once. */
  readonly flexibleMinutes: number | null;
}

export type Timing =
  | { readonly kind: 'cron'; readonly cron: Cron }
  | { readonly kind: 'rate'; readonly periodMs: number }
  | { readonly kind: 'at'; readonly instant: number };

/** A cron expression in AWS's six fields, and its values: all of them when they are absent. */
export interface Cron {
  /** Without `cron(…)`. */
  readonly fields: string;
  /** For `croner`: seven fields, seconds first, with weekdays from 1 for Sunday. */
  readonly pattern: string;
}

/** A value, or what is wrong with the text that it was to be read from: the end of a sentence about it. */
export type Reading<T> = { readonly value: T } | { readonly fault: string };
