import { expect, test } from '@jest/globals';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { aWorkflowOf } from '../../support/a-registrar.ts';
import { aQueue, aRule, aSchedule, useTriggerServices } from '../../support/a-trigger-service.ts';
import { cases } from '../../support/deep.ts';

const openService = useTriggerServices();
type Service = Awaited<ReturnType<typeof openService>>;

const first = [aSchedule('1 hour'), aRule('shop'), aQueue('q', { batchSize: 1 })];

const states: Readonly<Record<string, WorkflowDefinition | null>> = {
  none: null,
  first: aWorkflowOf(first),
  second: aWorkflowOf([
    aSchedule('2 hours'),
    aRule('crm'),
    aQueue('q', { batchSize: 2 }),
    aQueue('r', {}, 'r'),
  ]),
  disabled: aWorkflowOf(first, { enabled: false }),
};
const expected: Readonly<Record<string, readonly string[]>> = {
  none: [],
  first: ['queue q 1', 'rate(1 hour)', 'rule ["shop"]'],
  second: ['queue q 2', 'queue r 10', 'rate(2 hours)', 'rule ["crm"]'],
  disabled: [],
};

const all = Object.keys(states).flatMap((from) =>
  Object.keys(states)
    .filter((to) => to !== from)
    .map((to) => [from, to] as const),
);
const few: typeof all = [
  ['none', 'first'],
  ['first', 'second'],
  ['first', 'disabled'],
];
const changes = cases(few, all);

const apply = (service: Service, state: string) => {
  const definition = states[state] ?? null;
  return definition === null ? service.remove('orders') : service.put(definition);
};

/** Calls from one kill to the next. */
const STEP = cases(5, 1);

/** The state whose definition is stored. */
const storedState = async ({ stores }: Service): Promise<string> => {
  const found = (await stores.workflows.find('orders'))?.definition ?? null;
  return Object.keys(states).find((name) => JSON.stringify(states[name]) === JSON.stringify(found)) ?? '';
};

/** Sends what each of the triggers would fire for. */
const fire = async ({ putEvent, sendMessage, settled }: Service): Promise<void> => {
  for (const source of ['shop', 'crm']) await putEvent(source);
  for (const queue of ['q', 'r']) await sendMessage(queue);
  await settled();
};

const HALF_AN_HOUR_MS = 1_800_000;

test.each(changes)(
  'from %s to %s, killed before any call: nothing is lost, a disabled workflow starts nothing, and the next put or sweep repairs it',
  async (from, to) => {
    let kills = 0;
    for (let calls = 0; ; calls += STEP) {
      const service = await openService();
      await apply(service, from);
      const made = await service.killAfter(calls, () => apply(service, to));
      const stored = await storedState(service);

      const present = service.outside().map((one) => one.replace(/^(queue \w).*/, '$1'));
      const wanted = (expected[stored] ?? []).map((one) => one.replace(/^(queue \w).*/, '$1'));
      expect(present).toEqual(expect.arrayContaining(wanted));

      await fire(service);
      const startsNothing = stored === 'none' || stored === 'disabled';
      expect((await service.records()).length > 0).toBe(!startsNothing);

      const byPut = kills % 2 === 0;
      service.clock.advance(HALF_AN_HOUR_MS);
      await (byPut ? apply(service, to) : service.sweep());
      expect(service.outside()).toEqual(expected[byPut ? to : stored]);
      if (made !== null) break;
      kills += 1;
    }
    expect(kills).toBeGreaterThan(0);
  },
);
