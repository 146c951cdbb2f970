import { afterEach, expect, jest, test } from '@jest/globals';
import type { JsonObject } from '../../src/net/json.ts';
import { createQueues } from '../../src/sources/queues.ts';
import { startTimer } from '../../src/sources/schedules.ts';
import { serveSources } from '../../src/sources/serve-sources.ts';
import { openSourcesStore } from '../../src/sources/sources-state.ts';
import { resolveTemplate } from '../../src/stage/door/template.ts';
import { createEvents, readScheduledRules } from '../../src/stage/stage-events.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const target = { Id: 'one', Arn: 'arn:aws:lambda:us-east-1:000000000000:function:one' };

const aTemplate = (Type: string, Properties: object) =>
  resolveTemplate(
    { Resources: { It: { Type, Properties: Properties as Record<string, unknown> } } },
    { account: '000000000000', region: 'us-east-1', stackName: 'shop-dev' },
  );

/** The sources of a stage, and what they deliver. */
const someSources = async () => {
  const delivered: JsonObject[] = [];
  const store = openSourcesStore(null);
  const queues = createQueues(
    store,
    async () => [],
    () => {},
  );
  const sources = await serveSources(store, queues, async (event) => void delivered.push(event));
  cleanups.push(sources.stop);
  return { sources, delivered };
};

test('a rule of the template passes on the events that match its pattern', async () => {
  const { sources, delivered } = await someSources();
  createEvents(
    aTemplate('AWS::Events::Rule', { EventPattern: { source: ['shop'] }, Targets: [target] }),
    sources,
  );
  const send = (Source: string) =>
    sources.rules.PutEvents?.({ Entries: [{ Source, DetailType: 'Ordered', Detail: '{}' }] });
  send('shop');
  send('bank');
  expect(delivered).toMatchObject([{ source: 'shop' }]);
});

test('a schedule of the template is there, by its name', async () => {
  const { sources } = await someSources();
  const definition = { Name: 'nightly', ScheduleExpression: 'cron(0 3 * * ? *)', Target: target };
  createEvents(aTemplate('AWS::Scheduler::Schedule', definition), sources);
  expect(sources.schedules.get('nightly', 'default')).toMatchObject(definition);
});

test.each([
  ['AWS::Events::Rule', { EventPattern: { source: 'shop' }, Targets: [target] }],
  ['AWS::Scheduler::Schedule', { ScheduleExpression: 'daily', Target: target }],
])('what AWS would refuse of %s ends the start', async (type, properties) => {
  const { sources } = await someSources();
  expect(() => createEvents(aTemplate(type, properties), sources)).toThrow(/would refuse It: /);
});

test('a rule with a schedule fires at its times, and never when it is disabled', () => {
  jest.useFakeTimers({ now: Date.parse('2026-03-28T00:00:00Z') });
  cleanups.push(() => jest.useRealTimers());
  const fired: string[] = [];
  const at = (ScheduleExpression: string, more = {}) =>
    readScheduledRules(
      aTemplate('AWS::Events::Rule', { ScheduleExpression, Targets: [target], ...more }),
      async () => {},
    );
  for (const { findNext } of [...at('cron(30 2 * * ? *)'), ...at('rate(12 hours)')])
    cleanups.push(startTimer(findNext, (time) => fired.push(new Date(time).toISOString()), Date.now()));
  jest.advanceTimersByTime(86_400_000);
  expect(fired).toEqual(
    ['02:30', '12:00', '00:00'].map((time, day) => `2026-03-2${day > 1 ? 9 : 8}T${time}:00.000Z`),
  );
  expect(at('rate(1 hour)', { State: 'DISABLED' })).toMatchObject([{ isEnabled: false }]);
});
