import { ApiError } from '../net/api-error.ts';
import { isPlainObject, type JsonObject } from '../net/json.ts';
import type { Deliver } from './deliver.ts';
import { readScheduleTimes } from './schedule-times.ts';
import type { LocalSchedule, SourcesStore } from './sources-state.ts';

/** A longer delay would overflow a timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The time by which schedules fire. */
export interface ScheduleClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** @returns cancels it */
  after(ms: number, act: () => void): () => void;
}

const systemClock: ScheduleClock = {
  now: () => Date.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** EventBridge Scheduler on this machine: its API without lists, and a clock. */
export interface Schedules {
  /** https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html @throws ApiError */
  create(name: string, definition: JsonObject): JsonObject;
  /** https://docs.aws.amazon.com/scheduler/latest/APIReference/API_UpdateSchedule.html @throws ApiError */
  update(name: string, definition: JsonObject): JsonObject;
  /** @throws ApiError */
  get(name: string, group: string): JsonObject;
  /** @throws ApiError */
  remove(name: string, group: string): JsonObject;
  /** Starts the timers of existing schedules. */
  resume(): void;
  stop(): void;
}

export const DEFAULT_GROUP = 'default';

/**
 * Fires at each of some times.
 *
 * @param findNext - the next time after another; null for none
 * @param from - the time after which it fires
 * @returns stops it
 */
export const startTimer = (
  findNext: (after: number) => number | null,
  fire: (time: number) => unknown,
  from: number,
  clock: ScheduleClock = systemClock,
): (() => void) => {
  let cancel = () => {};
  let isStopped = false;
  const wait = (time: number | null): void => {
    if (time === null || isStopped) return;
    const left = time - clock.now();
    cancel = clock.after(Math.min(Math.max(0, left), LONGEST_TIMER_MS), () => {
      if (left > LONGEST_TIMER_MS) return wait(time);
      fire(time);
      wait(findNext(time));
    });
  };
  wait(findNext(from));
  return () => {
    isStopped = true;
    cancel();
  };
};

/** Times missed while nothing was running are skipped. */
export const createSchedules = (
  store: SourcesStore,
  deliver: Deliver,
  clock: ScheduleClock = systemClock,
): Schedules => {
  const { schedules } = store.state;
  const timers = new Map<string, () => void>();

  const forget = (key: string): void => {
    timers.get(key)?.();
    timers.delete(key);
  };

  const plan = (key: string, from: number): void => {
    const schedule = schedules.get(key);
    if (schedule === undefined || schedule.definition.State === 'DISABLED') return;
    const fire = (time: number) =>
      deliver(toEvent(schedule.definition, time), {
        label: `schedule ${schedule.name}`,
        arn: toScheduleArn(schedule),
        target: readTarget(schedule.definition),
      });
    timers.set(key, startTimer(readTimes(schedule), fire, from, clock));
  };

  /** @param now - from when on it may fire, this instant included */
  const put = (name: string, definition: JsonObject, createdAt: number, now: number): JsonObject => {
    const group = String(definition.GroupName ?? DEFAULT_GROUP);
    const schedule: LocalSchedule = { name, group, definition, createdAt };
    readTimes(schedule);
    schedules.set(`${group}/${name}`, schedule);
    store.save();
    forget(`${group}/${name}`);
    plan(`${group}/${name}`, now - 1);
    return { ScheduleArn: toScheduleArn(schedule) };
  };

  const find = (name: string, group: string): LocalSchedule => {
    const found = schedules.get(`${group}/${name}`);
    if (found === undefined)
      throw new ApiError('ResourceNotFoundException', `Schedule ${name} does not exist.`, 404);
    return found;
  };

  return {
    create: (name, definition) => {
      if (schedules.has(`${String(definition.GroupName ?? DEFAULT_GROUP)}/${name}`))
        throw new ApiError('ConflictException', `Schedule ${name} already exists.`, 409);
      const now = clock.now(); // read once: a rate's first time is its creation
      return put(name, definition, now, now);
    },
    update: (name, definition) => {
      const { createdAt } = find(name, String(definition.GroupName ?? DEFAULT_GROUP));
      return put(name, definition, createdAt, clock.now());
    },
    get: (name, group) => ({ Name: name, ...find(name, group).definition }),
    remove: (name, group) => {
      find(name, group);
      schedules.delete(`${group}/${name}`);
      store.save();
      forget(`${group}/${name}`);
      return {};
    },
    resume: () => {
      for (const key of schedules.keys()) plan(key, clock.now());
    },
    stop: () => {
      for (const key of [...timers.keys()]) forget(key);
    },
  };
};

const toScheduleArn = ({ group, name }: LocalSchedule): string =>
  `arn:aws:scheduler:us-east-1:000000000000:schedule/${group}/${name}`;

/** @throws ApiError `ValidationException` for what Scheduler refuses */
const readTimes = ({ definition, createdAt }: LocalSchedule) => {
  const { ScheduleExpression, ScheduleExpressionTimezone = 'UTC', StartDate, EndDate } = definition;
  try {
    return readScheduleTimes({
      expression: String(ScheduleExpression),
      timeZone: String(ScheduleExpressionTimezone),
      startAt: typeof StartDate === 'number' ? StartDate * 1_000 : null,
      endAt: typeof EndDate === 'number' ? EndDate * 1_000 : null,
      createdAt,
    });
  } catch (error) {
    throw new ApiError('ValidationException', `Invalid Schedule Expression: ${(error as Error).message}`);
  }
};

/** Documented at https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html */
const toEvent = (definition: JsonObject, time: number): JsonObject => {
  const { Input = '{}' } = readTarget(definition);
  const scheduledTime = new Date(time).toISOString().replace('.000Z', 'Z');
  const executionId = `local-${time}`;
  return JSON.parse(
    String(Input)
      .replaceAll('<aws.scheduler.scheduled-time>', scheduledTime)
      .replaceAll('<aws.scheduler.execution-id>', executionId)
      .replaceAll('<aws.scheduler.attempt-number>', '1'),
  );
};

const readTarget = ({ Target }: JsonObject): JsonObject =>
  isPlainObject(Target) ? (Target as JsonObject) : {};
