import { type JsonObject, toEnvelope } from '@hookloom/plugin-kit';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createQueues, createRules, openSourcesStore } from 'lambda-stage/sources';
import { createDispatchFunction } from '../../lib/app/triggers/dispatch-handler.ts';
import { DISPATCH_REFUSED, STORE_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import { toRegistration } from '../../lib/triggers/registrations/registration.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { createDeliver } from '../../packages/local/sources/start-sources.ts';
import { anEventService, inMemoryStores } from '../support/a-queue-trigger.ts';
import { aWorkflowOf } from '../support/a-registrar.ts';
import { aQueue, aRule, aSchedule } from '../support/a-trigger-service.ts';
import { inMemoryRegistrations } from '../support/in-memory-registrations.ts';
import { inMemoryExecutionStore } from '../support/in-memory-stores.ts';

const EVENTS = 10_000;
/** Of a call that fails before it has its effect, and of one that fails after. */
const FAULT = 0.03;
/** Of an event that its source delivers twice. */
const REPEAT = 0.1;

const DEAD_LETTERS = 'arn:aws:sqs:us-east-1:000000000000:dead-letters';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Numbers from 0 to 1, the same in every run: https://en.wikipedia.org/wiki/Linear_congruential_generator */
const someNumbers = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

/** Each call fails by chance, before its effect or after it. */
const withFaults = <Store extends object>(store: Store, chance: () => number, error: () => Error): Store =>
  Object.fromEntries(
    Object.entries(store).map(([name, method]) => [
      name,
      typeof method !== 'function'
        ? method
        : async (...args: unknown[]) => {
            const number = chance();
            if (number < FAULT) throw error();
            const result = await method(...args);
            if (number > 1 - FAULT) throw error();
            return result;
          },
    ]),
  ) as Store;

/** The dispatch function before stores and an engine that fail by chance, and a workflow with a trigger of each type. */
const open = async () => {
  const chance = someNumbers(14);
  const executions = inMemoryExecutionStore();
  const stores = { ...inMemoryStores(), executions };
  const service = await anEventService({
    plugins: installedPlugins.filter(({ id }) => id === 'triggers' || id === 'eventTrigger'),
    stores,
  });
  const definition = aWorkflowOf([aSchedule('1 hour'), aRule('shop'), aQueue('orders.fifo')]);
  await stores.workflows.put(definition, []);
  const registrations = inMemoryRegistrations(service.clock);
  const carried = [];
  for (const node of definition.nodes) {
    const registration = toRegistration(definition.id, node, service.findNodeType);
    if (registration === null) throw new Error(`${node.id} does not register`);
    await registrations.claim(registration);
    carried.push(toEnvelope(registration));
  }
  const dispatched = new Set<string>();
  const unavailable = () => new AppError(STORE_UNAVAILABLE, {});
  const dispatcher = { dispatch: async (executionId: string) => void dispatched.add(executionId) };
  const dispatch = createDispatchFunction({
    ...service.parts,
    workflows: withFaults(stores.workflows, chance, unavailable),
    executions: withFaults(executions, chance, unavailable),
    deliveries: withFaults(stores.deliveries, chance, unavailable),
    registrations: withFaults(registrations, chance, unavailable),
    dispatcher: withFaults(dispatcher, chance, () => new AppError(DISPATCH_REFUSED, {})),
  });
  return { chance, executions, dispatch, dispatched, carried };
};

// holds: events-stored-before-acknowledged
test(`of ${EVENTS} events with faults at every call, each starts one execution or is a dead letter`, async () => {
  const { chance, executions, dispatch, dispatched, carried } = await open();
  const store = openSourcesStore(null);
  const deliverBatch = async (event: JsonObject, ids: readonly string[]) => {
    try {
      return (await dispatch(event)).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    } catch {
      return ids;
    }
  };
  const queues = createQueues(store, deliverBatch, () => {});
  const deliver = createDeliver({ invoke: ({ event }) => dispatch(event) }, queues.bury, () => {});
  const rules = createRules(store, deliver);
  const [ofSchedule, ofRule] = carried;
  rules.PutRule?.({ Name: 'shop', EventPattern: '{"source":["shop"]}' });
  const InputTemplate = `${JSON.stringify(ofRule).slice(0, -1)},"event":<aws.events.event.json>}`;
  const target = { Id: 'a', InputTransformer: { InputTemplate }, DeadLetterConfig: { Arn: DEAD_LETTERS } };
  rules.PutTargets?.({ Rule: 'shop', Targets: [target] });
  queues.createMapping({ EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:orders.fifo' });

  /** Sends an event, of the three sources in turn. @returns what it is found by */
  const send = (index: number): string => {
    const scheduledAt = new Date(index * 1_000).toISOString();
    const times = chance() < REPEAT ? 2 : 1;
    for (let time = 0; time < times; time++) {
      if (index % 3 === 0)
        void deliver(
          { ...ofSchedule, scheduledAt },
          { label: 'schedule', arn: 'arn', target: { DeadLetterConfig: { Arn: DEAD_LETTERS } } },
        );
      if (index % 3 === 1)
        rules.PutEvents?.({
          Entries: [
            { Source: 'shop', DetailType: 'x', Detail: JSON.stringify({ scheduledAt }), Id: `${index}` },
          ],
        });
    }
    if (index % 3 === 2)
      queues.operations.SendMessage?.({
        QueueUrl: 'orders.fifo',
        MessageBody: JSON.stringify({ scheduledAt }),
        MessageGroupId: String(index % 7),
      });
    return scheduledAt;
  };
  const sent = Array.from({ length: EVENTS }, (_, index) => send(index));
  for (let minutes = 0; minutes < 60; minutes++) await jest.advanceTimersByTimeAsync(60_000);

  const labelIn = (text: string): string => /\d{4}-\d\d-\d\dT[\d:]+\.000Z/.exec(text)?.[0] ?? 'none';
  const started = new Map<string, number>();
  const due = new Set<string>();
  for await (const id of executions.findDue(Number.MAX_SAFE_INTEGER, 'active')) due.add(id);
  let undispatched = 0;
  for (const { executionId } of executions.records()) {
    const data = await executions.findData(executionId);
    const label = labelIn(JSON.stringify(data?.input));
    started.set(label, (started.get(label) ?? 0) + 1);
    if (dispatched.has(executionId)) continue;
    undispatched += 1;
    expect(due).toContain(executionId); // the sweeper dispatches it
  }
  const dead = new Set(
    ['dead-letters', 'orders-dead-letters.fifo'].flatMap((name) =>
      (store.state.queues.get(name) ?? []).map(({ body }) => labelIn(body)),
    ),
  );
  expect(sent.filter((label) => !started.has(label) && !dead.has(label))).toEqual([]);
  expect([...started].filter(([, count]) => count !== 1)).toEqual([]);
  expect(store.state.queues.get('orders.fifo')).toEqual([]);
  // The faults were many enough to be seen, and few enough for most to pass.
  expect(dead.size).toBeGreaterThan(0);
  expect(started.size).toBeGreaterThan(EVENTS * 0.8);
  expect(undispatched).toBeLessThan(EVENTS * 0.1);
});
