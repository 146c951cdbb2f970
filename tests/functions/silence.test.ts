import type { JsonObject, WorkflowNode } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createSendStackResponse } from '../../lib/adapters/aws/stack-response.ts';
import { createRegistrationsFunction } from '../../lib/app/triggers/registrations-handler.ts';
import { noCounts } from '../../lib/executions/statistics/counts.ts';
import type { StatisticsStore } from '../../lib/executions/statistics/statistics-store.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { anExecutionEnd, anExecutionStart } from '../support/a-start.ts';
import { aQueue, aRule, aSchedule, useTriggerServices } from '../support/a-trigger-service.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { inMemoryStanding } from '../support/in-memory-standing.ts';
import { inMemoryState } from '../support/in-memory-state.ts';

const openService = useTriggerServices();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The sweep of registrations, with the sources of this machine. */
const aService = async (counts: (now: number) => readonly number[] = () => []) => {
  const service = await openService({ handle: async () => {} });
  const { stores, clock, registrar, openContext, registrations } = service;
  const memory = inMemoryStanding();
  const reads: string[] = [];
  const statistics: StatisticsStore = {
    add: async () => {},
    read: async function* (workflowId) {
      reads.push(String(workflowId));
      for (const hour of counts(clock.now())) yield { hour, counts: { ...noCounts(), started: 1 } };
    },
  };
  const sweep = createRegistrationsFunction({
    ...registrar,
    ...memory,
    executions: stores.executions,
    deliveries: stores.deliveries,
    state: inMemoryState(),
    statistics,
    windowMs: DAY,
    retentionMs: 30 * DAY,
    sendStackResponse: createSendStackResponse(0),
  });
  return {
    ...service,
    expiring: memory.expiring,
    reads,
    puts: memory.puts,
    put: (node: WorkflowNode, changes: Partial<WorkflowDefinition> = {}) =>
      service.put(aWorkflow({ id: 'orders', nodes: [node], connections: [], ...changes })),
    /** What a sweep tells. */
    tell: async () => {
      await sweep({});
      return memory.told();
    },
    /** What an operator does in the account itself, without the service. */
    callAws: async (request: Parameters<Awaited<ReturnType<typeof openContext>>['callAws']>[0]) => {
      const { status, body } = await (await openContext()).callAws(request);
      if (status >= 300) throw new Error(JSON.stringify(body));
      return body;
    },
    nameOf: async () => (await registrations.list())[0]?.name ?? '',
    /** The trigger's event at a time. */
    fire: async (at: number) =>
      service.dispatch({
        hookloom: {
          workflowId: 'orders',
          triggerNodeId: 'hourly',
          registration: (await registrations.list())[0]?.name ?? '',
        },
        scheduledAt: new Date(at).toISOString(),
      }),
  };
};

type Service = Awaited<ReturnType<typeof aService>>;

const toEvents = (operation: string, body: JsonObject) => ({
  service: 'events',
  method: 'POST' as const,
  path: '/',
  headers: { 'x-amz-target': `AWSEvents.${operation}` },
  body,
});

const ruleOf = async ({ nameOf }: Service) => `hookloom-test.${await nameOf()}`.slice(0, 53);

/** What is registered, and how it is switched off and deleted. */
const kinds: readonly (readonly [
  string,
  WorkflowNode,
  (service: Service) => Promise<unknown>,
  (service: Service) => Promise<unknown>,
])[] = [
  [
    'schedule',
    aSchedule('1 day'),
    async ({ callAws, nameOf }) => {
      const path = `/schedules/${await nameOf()}`;
      const found = await callAws({
        service: 'scheduler',
        method: 'GET',
        path: `${path}?groupName=hookloom-test`,
      });
      await callAws({ service: 'scheduler', method: 'PUT', path, body: { ...found, State: 'DISABLED' } });
    },
    async ({ callAws, nameOf }) =>
      callAws({
        service: 'scheduler',
        method: 'DELETE',
        path: `/schedules/${await nameOf()}?groupName=hookloom-test`,
      }),
  ],
  [
    'rule',
    aRule('shop', 'hourly'),
    async (service) =>
      service.callAws(
        toEvents('PutRule', { Name: await ruleOf(service), EventPattern: '{"a":["b"]}', State: 'DISABLED' }),
      ),
    async (service) => {
      const Rule = await ruleOf(service);
      await service.callAws(toEvents('RemoveTargets', { Rule, Ids: ['dispatch'] }));
      await service.callAws(toEvents('DeleteRule', { Name: Rule }));
    },
  ],
  [
    'queue',
    aQueue('arrivals', {}, 'hourly'),
    async ({ callAws }) => {
      const path = '/2015-03-31/event-source-mappings/';
      const { EventSourceMappings } = await callAws({ service: 'lambda', method: 'GET', path });
      const [{ UUID }] = EventSourceMappings as [{ UUID: string }];
      await callAws({
        service: 'lambda',
        method: 'PUT',
        path: `${path}${UUID}`,
        body: { Enabled: false },
      });
    },
    async ({ callAws }) => {
      const path = '/2015-03-31/event-source-mappings/';
      const { EventSourceMappings } = await callAws({ service: 'lambda', method: 'GET', path });
      const [{ UUID }] = EventSourceMappings as [{ UUID: string }];
      await callAws({ service: 'lambda', method: 'DELETE', path: `${path}${UUID}` });
    },
  ],
];

describe.each(kinds)('behind the back of the service, a %s', (_kind, node, switchOff, remove) => {
  test('that was switched off is told, once, until the workflow is disabled and enabled', async () => {
    const service = await aService();
    await service.put(node);
    expect(await service.tell()).toEqual([]);
    await switchOff(service);
    expect(await service.tell()).toEqual([
      expect.stringMatching(/^\+ Trigger "hourly" of workflow "orders", since .*Z: is switched off in AWS/),
    ]);
    expect(await service.tell()).toEqual([]);
    await service.put(node, { enabled: false });
    await service.put(node);
    expect(await service.tell()).toEqual(['- workflow:orders off:hourly']);
  });

  test('that was deleted is told', async () => {
    const service = await aService();
    await service.put(node);
    await remove(service);
    expect(await service.tell()).toEqual([expect.stringContaining('has no registration in AWS')]);
  });
});

describe('a schedule', () => {
  const daily = { ...aSchedule(''), parameters: { cron: '0 12 * * *' } };
  /** The next noon. */
  const noonAfter = (time: number) => Math.ceil((time - DAY / 2) / DAY) * DAY + DAY / 2;

  test('that has not fired 15 minutes after it was due is told, and that it has fired, even late', async () => {
    const { put, tell, clock, fire } = await aService();
    await put(daily);
    const due = noonAfter(clock.now());
    clock.advance(due + 15 * MINUTE - 1 - clock.now());
    expect(await tell()).toEqual([]);
    clock.advance(1);
    const since = `${new Date(due).toISOString().slice(0, 16)}Z`;
    expect(await tell()).toEqual([
      expect.stringContaining(`Trigger "hourly" of workflow "orders", since ${since}: was due`),
    ]);
    await fire(due);
    expect(await tell()).toEqual(['- workflow:orders late:hourly']);
  });

  test('that has fired is not told, neither then nor when its key is forgotten', async () => {
    const { put, tell, clock, fire } = await aService();
    await put(daily);
    const due = noonAfter(clock.now());
    clock.advance(due - clock.now());
    await fire(due);
    clock.advance(HOUR);
    expect(await tell()).toEqual([]);
    clock.advance(20 * HOUR);
    expect(await tell()).toEqual([]);
  });

  test('is not expected to have fired before it was registered, nor of a disabled workflow', async () => {
    const { put, tell, clock } = await aService();
    clock.advance(noonAfter(clock.now()) + 1 - clock.now());
    await put(daily);
    clock.advance(HOUR);
    expect(await tell()).toEqual([]);
    await put(daily, { enabled: false });
    clock.advance(2 * DAY);
    expect(await tell()).toEqual([]);
  });

  test('of which nothing is expected is not told, even when it is switched off', async () => {
    const service = await aService();
    await service.put(daily, { settings: { expect: false } });
    service.clock.advance(2 * DAY);
    await kinds[0]?.[2](service);
    expect(await service.tell()).toEqual([]);
  });

  test('at a rate is told when nothing has started in a period and 15 minutes', async () => {
    const { put, tell, clock, fire } = await aService();
    await put(aSchedule('2 hours'));
    clock.advance(2 * HOUR + 15 * MINUTE - 1);
    expect(await tell()).toEqual([]);
    clock.advance(1);
    expect(await tell()).toEqual([expect.stringContaining('was due and has not fired')]);
    await fire(clock.now());
    expect(await tell()).toEqual(['- workflow:orders late:hourly']);
  });
});

describe.each(['noticeTrigger', 'errorTrigger'])('a workflow that only a %s starts', (type) => {
  test('is told when its latest execution failed, once, until one succeeds', async () => {
    const { put, tell, stores, clock } = await aService();
    const end = async (executionId: string, status: 'failed' | 'timedOut' | 'succeeded') => {
      const start = anExecutionStart({ executionId, workflowId: 'orders', startedAt: clock.now() });
      await stores.executions.start(start);
      await stores.executions.finish(executionId, anExecutionEnd({ status, endedAt: clock.now() }));
      clock.advance(1);
    };
    await put({ id: 'told', type, parameters: {} });
    await end('e-1', 'succeeded');
    expect(await tell()).toEqual([]);
    await end('e-2', 'failed');
    expect(await tell()).toEqual([
      expect.stringMatching(
        /^\+ Trigger "told" of workflow "orders", since .*Z: its latest execution failed, so what it should tell reaches nobody\. See hookloom execution show e-2\./,
      ),
    ]);
    await end('e-3', 'timedOut');
    expect(await tell()).toEqual([]);
    await end('e-4', 'succeeded');
    expect(await tell()).toEqual(['- workflow:orders tellsNobody:told']);
  });

  test('is not told of what fails otherwise: notices do', async () => {
    const { put, tell, stores, clock } = await aService();
    await put(
      { id: 'told', type, parameters: {} },
      { nodes: [{ id: 'told', type, parameters: {} }, aSchedule('1 day')] },
    );
    await stores.executions.start(
      anExecutionStart({ executionId: 'e-1', workflowId: 'orders', startedAt: clock.now() }),
    );
    await stores.executions.finish('e-1', anExecutionEnd({ status: 'failed', endedAt: clock.now() }));
    expect(await tell()).toEqual([]);
  });
});

describe('a workflow that says how often it should run', () => {
  const expected = { settings: { expect: { atLeast: 2, every: '1 day' } } };

  test('is told when it runs less, whatever its schedule', async () => {
    const { put, tell, clock, fire } = await aService();
    await put(aSchedule('5 minutes'), expected);
    clock.advance(DAY);
    await fire(clock.now());
    clock.advance(HOUR);
    expect(await tell()).toEqual([
      expect.stringContaining('fewer than 2 executions start in 1 day, as settings.expect says'),
    ]);
    await fire(clock.now());
    expect(await tell()).toEqual(['- workflow:orders below']);
  });
});

describe('a webhook with a history', () => {
  const webhook = { id: 'hook', type: 'webhookTrigger', parameters: {} };
  /** A request an hour for two weeks, until a time. */
  const until = (end: number) => Array.from({ length: 336 }, (_, at) => end - (at + 1) * HOUR);

  test('is told once a day when it gets no more requests, and at once when it does', async () => {
    let last = 0;
    const { put, tell, clock, reads } = await aService(() => until(last));
    const start = clock.now();
    last = start - 20 * HOUR;
    await put(webhook);
    expect(await tell()).toEqual([]);
    clock.advance(15 * MINUTE);
    expect([await tell(), reads]).toEqual([[], ['orders']]);
    clock.advance(DAY);
    expect(await tell()).toEqual([expect.stringContaining('its webhooks get no requests')]);
    last = clock.now();
    expect(await tell()).toEqual(['- workflow:orders quiet']);
  });

  test.each<[string, Partial<WorkflowDefinition>]>([
    ['expects nothing', { settings: { expect: false } }],
    ['says itself what it expects', { settings: { expect: { every: '30 days' } } }],
    ['is paused', { nodes: [{ ...webhook, parameters: { paused: true } }] }],
    ['is disabled', { enabled: false }],
  ])('is not looked at when it %s', async (_why, changes) => {
    const { put, tell, reads } = await aService(() => until(0));
    await put(webhook, changes);
    await tell();
    expect(reads).toEqual([]);
  });
});

test('what expires is told a week before and on the day, and that it was renewed', async () => {
  const { tell, expiring, clock } = await aService();
  const end = clock.now() + 10 * DAY;
  expiring.push({ kind: 'credential', id: 'shop', expiresAt: new Date(end).toISOString() });
  expect(await tell()).toEqual([]);
  clock.advance(3 * DAY);
  expect(await tell()).toEqual([expect.stringContaining('+ The credential "shop" expires on')]);
  clock.advance(6 * DAY);
  expect(await tell()).toEqual([]);
  clock.advance(DAY);
  expect(await tell()).toEqual([expect.stringContaining('+ The credential "shop" has expired on')]);
  expiring.splice(0);
  const cause = new Date(end).toISOString();
  expect(await tell()).toEqual([`- credential:shop soon:${cause}`, `- credential:shop day:${cause}`]);
});

test('nothing is written while nothing changes', async () => {
  const { put, tell, puts, clock } = await aService();
  await put(aSchedule('1 day'));
  await tell();
  expect(puts()).toBe(1); // when the history was read
  clock.advance(HOUR);
  await tell();
  expect(puts()).toBe(1);
});

test('a workflow that was removed is over', async () => {
  const service = await aService();
  await service.put(aSchedule('1 day'));
  await kinds[0]?.[3](service);
  await service.tell();
  await service.remove('orders');
  expect(await service.tell()).toEqual(['- workflow:orders missing:hourly']);
});
