import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { JsonObject } from '../../src/net/json.ts';
import { createSchedules } from '../../src/sources/schedules.ts';
import { openSourcesStore } from '../../src/sources/sources-state.ts';

const NOW = Date.parse('2026-03-28T00:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const cleanups: (() => void)[] = [];
beforeEach(() => {
  jest.useFakeTimers({ now: NOW, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
  jest.useRealTimers();
});

/** A clock, and the times at which it fired. */
const aClock = (file: string | null = null) => {
  const fired: string[] = [];
  const schedules = createSchedules(openSourcesStore(file), async ({ at }) => void fired.push(String(at)));
  cleanups.push(schedules.stop);
  return {
    schedules,
    fired,
    /** Lets time pass: a schedule plans its next time after each, which takes turns of the event loop. */
    pass: async (ms: number, step: number) => {
      for (let passed = 0; passed < ms; passed += step) {
        for (let turn = 0; turn < 3; turn++) await nextIteration();
        jest.advanceTimersByTime(step);
      }
    },
  };
};

const aDefinition = (ScheduleExpression: string, changes: JsonObject = {}): JsonObject => ({
  GroupName: 'shop-dev',
  ScheduleExpression,
  Target: { Input: '{"at":"<aws.scheduler.scheduled-time>"}' },
  ...changes,
});

describe('a schedule fires', () => {
  test('at a rate, starting from its creation', async () => {
    const { schedules, fired, pass } = aClock();
    schedules.create('a', aDefinition('rate(30 minutes)'));
    await pass(90 * MINUTE, 15 * MINUTE);
    expect(fired).toEqual([
      '2026-03-28T00:00:00Z',
      '2026-03-28T00:30:00Z',
      '2026-03-28T01:00:00Z',
      '2026-03-28T01:30:00Z',
    ]);
  });

  test('by a cron expression, skipping the hour that clocks skip', async () => {
    const { schedules, fired, pass } = aClock();
    schedules.create('a', aDefinition('cron(30 2 * * ? *)', { ScheduleExpressionTimezone: 'Europe/Berlin' }));
    await pass(3 * DAY, HOUR / 2);
    expect(fired).toEqual(['2026-03-28T01:30:00Z', '2026-03-30T00:30:00Z']);
  });

  test('at one time, also farther away than a timer reaches', async () => {
    const { schedules, fired, pass } = aClock();
    schedules.create('a', aDefinition('at(2026-05-30T00:00:00)'));
    await pass(62 * DAY, DAY);
    expect(fired).toEqual([]);
    await pass(DAY, DAY);
    expect(fired).toEqual(['2026-05-30T00:00:00Z']);
  });

  test('with its new definition after an update, and never when it is disabled or removed', async () => {
    const { schedules, fired, pass } = aClock();
    schedules.create('a', aDefinition('cron(0 * * * ? *)'));
    schedules.create('b', aDefinition('cron(5 * * * ? *)'));
    schedules.create('clock', aDefinition('rate(1 hour)', { Target: {} }));
    schedules.update('a', aDefinition('cron(10 * * * ? *)'));
    await pass(HOUR, 5 * MINUTE);
    const once = [undefined, '2026-03-28T00:05:00Z', '2026-03-28T00:10:00Z', undefined].map(String);
    expect(fired).toEqual(once);
    schedules.update('a', aDefinition('cron(10 * * * ? *)', { State: 'DISABLED' }));
    schedules.remove('b', 'shop-dev');
    await pass(DAY, HOUR);
    expect(new Set(fired.slice(once.length))).toEqual(new Set(['undefined']));
  });

  test('after a restart too, without making up for what was missed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stage-sources-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'sources.json');
    const before = aClock(file);
    before.schedules.create('a', aDefinition('rate(1 hour)'));
    await before.pass(HOUR, HOUR / 2);
    before.schedules.stop();
    jest.advanceTimersByTime(5.5 * HOUR);
    const after = aClock(file);
    after.schedules.resume();
    await after.pass(HOUR / 2, HOUR / 2);
    expect(before.fired).toEqual(['2026-03-28T00:00:00Z', '2026-03-28T01:00:00Z']);
    expect(after.fired).toEqual(['2026-03-28T07:00:00Z']);
  });
});

describe('its API refuses', () => {
  test.each<[string, string, () => unknown]>([
    [
      'ConflictException',
      'a second one of a name',
      () => both((all) => all.create('a', aDefinition('rate(1 day)'))),
    ],
    [
      'ResourceNotFoundException',
      'an update of one that is not there',
      () => both((all) => all.update('b', aDefinition('rate(1 day)'))),
    ],
    [
      'ResourceNotFoundException',
      'to remove one of another group',
      () => both((all) => all.remove('a', 'other')),
    ],
    ['ResourceNotFoundException', 'to show one that is gone', () => both((all) => all.get('b', 'shop-dev'))],
    ['ValidationException', 'no expression', () => both((all) => all.create('b', aDefinition('daily')))],
    [
      'ValidationException',
      'a wrong one',
      () => both((all) => all.create('b', aDefinition('cron(0 25 * * ? *)'))),
    ],
  ])('with %s: %s', (name, _what, act) => {
    expect(act).toThrow(expect.objectContaining({ name }));
  });

  const both = (act: (schedules: ReturnType<typeof createSchedules>) => unknown) => {
    const { schedules } = aClock();
    schedules.create('a', aDefinition('rate(1 day)'));
    expect(schedules.get('a', 'shop-dev')).toMatchObject({ Name: 'a' });
    return act(schedules);
  };
});
