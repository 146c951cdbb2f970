import { setImmediate } from 'node:timers/promises';
import type { JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import type { HeldQueue } from '../../../lib/executions/held-queues.ts';
import { STORE_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { checkWebhookRules } from '../../../packages/authoring/validation/check-webhooks.ts';
import { aProblem, bodyOf } from '../../support/a-problem.ts';
import { anExecutionEnd } from '../../support/a-start.ts';
import { aJsonEvent } from '../../support/a-webhook-event.ts';
import { type AWorkflow, aWebhookService, type ServiceOptions } from '../../support/a-webhook-service.ts';
import { inMemoryExecutionStore } from '../../support/in-memory-stores.ts';

const DAY = 86_400_000;
const queue = { workflowId: 'shop', triggerNodeId: 'start' };

/** @param dispatches - whether a dispatch runs the execution to its end; else it stays accepted until the test ends it */
const aServiceWith = async (
  webhook: NonNullable<AWorkflow['webhook']>,
  { dispatches = true, spoilt = {} }: { dispatches?: boolean; spoilt?: ServiceOptions['spoilt'] } = {},
) => {
  const dispatched: string[] = [];
  const dispatch = async (id: string) => void dispatched.push(id);
  const service = await aWebhookService({
    spoilt: { ...(dispatches ? {} : { dispatcher: { dispatch } }), ...spoilt },
  });
  const put = async (changes: NonNullable<AWorkflow['webhook']>, more: Partial<AWorkflow> = {}) => {
    await service.put({
      webhook: { responseMode: 'onReceived', ...changes },
      chain: [{ type: 'set', parameters: { values: { order: '{{ body.order }}' } } }],
      ...more,
    });
    service.clock.advance(10_000); // the function reads the workflow again
  };
  await put(webhook);
  const record = (id: string) => service.executions.find(id);
  return {
    ...service,
    put,
    dispatched,
    record,
    send: async (order = 1, headers: Record<string, string> = {}) => {
      service.clock.advance(1);
      const event = aJsonEvent({ order }, { headers });
      const requestContext = { ...event.requestContext, timeEpoch: service.clock.now() };
      return service.call({ ...event, requestContext });
    },
    /** The next scheduled sweep. */
    sweepAll: () => service.sweep({ source: 'aws.events' }),
    end: (id: string) => service.executions.finish(id, anExecutionEnd({ endedAt: service.clock.now() })),
    /** What waits, in its order. */
    held: async () => {
      const ids: string[] = [];
      for await (const id of service.executions.queues.find(queue)) ids.push(id);
      return ids;
    },
    /** `id status`, by their starts. */
    statuses: () => service.executions.records().map(({ executionId, status }) => `${executionId} ${status}`),
  };
};

const idOf = (answer: Parameters<typeof bodyOf>[0]): string => String(bodyOf(answer).executionId);

describe('paused: store', () => {
  // holds: held-runs-start-once
  test('accepts requests and runs nothing until the webhook is unpaused; then runs each once', async () => {
    const service = await aServiceWith({ paused: 'store' });
    const [first, second] = [await service.send(1), await service.send(2)];
    expect([first.statusCode, bodyOf(first)]).toEqual([
      202,
      { executionId: idOf(first), workflowId: 'shop', status: 'accepted' },
    ]);
    service.clock.advance(3 * DAY);
    await service.sweepAll();
    expect(await service.held()).toEqual([idOf(first), idOf(second)]);
    expect(service.kept.published).toEqual([]);
    await service.put({});
    service.clock.advance(300_000); // as if its command had not told the sweeper
    await Promise.all([service.sweepAll(), service.sweepAll(), service.sweep({ only: 'held' })]);
    await service.sweepAll();
    expect(service.kept.published).toEqual([`${idOf(first)} succeeded`, `${idOf(second)} succeeded`]);
    expect(await service.record(idOf(first))).toMatchObject({ held: null, status: 'succeeded' });
  });

  test.each([
    ['without a bound, 25 at a time', {}, 25],
    ['with a bound, one after the other', { concurrency: { max: 90, onLimit: 'queue' } }, 1],
  ])('releases them %s', async (_title, changes, atOnce) => {
    let running = 0;
    let most = 0;
    const dispatched: string[] = [];
    const dispatch = async (id: string): Promise<void> => {
      dispatched.push(id);
      most = Math.max(most, ++running);
      await setImmediate();
      running--;
    };
    const service = await aServiceWith({ paused: 'store' }, { spoilt: { dispatcher: { dispatch } } });
    for (let order = 0; order < 80; order++) await service.send(order);
    const held = await service.held();
    await service.put(changes as NonNullable<AWorkflow['webhook']>);
    await service.sweepAll();
    expect(dispatched).toEqual(held);
    expect(most).toBe(atOnce);
    expect(await service.held()).toEqual([]);
  });

  test('runs them on the version that is live when they begin, in its mode', async () => {
    const service = await aServiceWith({ paused: 'store' }, { dispatches: false });
    const id = idOf(await service.send());
    expect(await service.record(id)).toMatchObject({ workflowVersion: 1, mode: 'durable', held: 'paused' });
    await service.put({}, { settings: { execution: 'express' } });
    await service.sweepAll();
    expect(await service.record(id)).toMatchObject({ workflowVersion: 2, mode: 'express', held: null });
  });

  test('responds as the webhook does, after all of its checks', async () => {
    const service = await aServiceWith({
      paused: 'store',
      schema: { type: 'object', properties: { order: { type: 'integer' } } },
      onlyIf: 'body.order > 0',
      answer: { status: 200, body: 'stored' },
    });
    expect(await service.send()).toMatchObject({ statusCode: 200, body: 'stored' });
    expect((await service.send(1.5)).statusCode).toBe(400);
    expect(bodyOf(await service.send(-1))).toEqual({ skipped: true });
    expect(await service.held()).toHaveLength(1);
  });

  test('gives a repeated delivery the same execution, held or run', async () => {
    const service = await aServiceWith({ paused: 'store' });
    const key = { 'idempotency-key': 'k' };
    const id = idOf(await service.send(1, key));
    service.clock.advance(60_000);
    const again = bodyOf(await service.send(1, key));
    expect(again).toMatchObject({ executionId: id, duplicate: true, status: 'accepted' });
    expect(service.kept.published).toEqual([]);
    await service.put({});
    await service.sweepAll();
    expect(bodyOf(await service.send(1, key))).toMatchObject({ duplicate: true, status: 'succeeded' });
    await service.put({ paused: 'store' });
    expect(bodyOf(await service.send(1, key))).toMatchObject({ duplicate: true, status: 'succeeded' });
    expect(await service.held()).toEqual([]);
    expect(service.kept.published).toEqual([`${id} succeeded`]);
  });

  test.each<[string, NonNullable<AWorkflow['webhook']>, Partial<AWorkflow>]>([
    ['paused, by refusing', { paused: true }, {}],
    ['of a disabled workflow', {}, { enabled: false }],
    ['disabled', {}, { isTriggerDisabled: true }],
  ])('releases nothing for a trigger that is %s', async (_name, webhook, more) => {
    const service = await aServiceWith({ paused: 'store' });
    await service.send();
    await service.put(webhook, more);
    await service.sweepAll();
    expect(await service.held()).toHaveLength(1);
    await service.workflows.remove('shop');
    await service.sweepAll();
    expect(await service.held()).toHaveLength(1);
  });

  test('fails them after 32 days, which makes room for the following ones', async () => {
    const service = await aServiceWith({ paused: 'store' });
    const old = idOf(await service.send());
    service.clock.advance(32 * DAY);
    const young = idOf(await service.send());
    await service.sweepAll();
    expect(await service.held()).toEqual([young]);
    expect(await service.record(old)).toMatchObject({
      status: 'failed',
      failure: { name: 'HeldTooLong', message: 'it was held for 32 days (paused)' },
    });
  });

  test('counts their time limits from their release', async () => {
    const service = await aServiceWith({ paused: 'store' }, { dispatches: false });
    const id = idOf(await service.send());
    service.clock.advance(5 * DAY);
    await service.put({});
    await service.sweepAll();
    service.clock.advance(16 * 60_000);
    await service.sweepAll(); // not failed for its age: dispatched again
    expect(service.dispatched).toEqual([id, id]);
    expect(await service.record(id)).toMatchObject({ status: 'accepted', redispatches: 1 });
  });
});

describe('concurrency: queue', () => {
  const rule = { max: 1, onLimit: 'queue' };
  const begun = { dispatches: false };

  // holds: held-runs-start-once
  test('beyond the limit, requests wait, and begin one by one in their order', async () => {
    const service = await aServiceWith({ concurrency: rule }, begun);
    const ids: string[] = [];
    for (let order = 1; order <= 5; order++) ids.push(idOf(await service.send(order)));
    expect(service.dispatched).toEqual([ids[0]]);
    expect(await service.record(ids[1] ?? '')).toMatchObject({ status: 'accepted', held: 'concurrency' });
    for (const [at, id] of ids.entries()) {
      await service.sweepAll();
      expect(service.dispatched).toEqual(ids.slice(0, at + 1));
      await service.end(id);
      service.clock.advance(1_001); // it is believed for a second that it goes on
    }
    await service.sweepAll();
    expect(await service.held()).toEqual([]);
    expect(service.dispatched).toEqual(ids);
  });

  test('the end of a run begins the next, without a sweep', async () => {
    const service = await aWebhookService({ runsBehind: true });
    await service.put({
      webhook: { responseMode: 'onReceived', concurrency: rule },
      chain: [{ type: 'wait', parameters: { seconds: 0.4 } }],
      settings: { execution: 'express' },
    });
    const call = () => service.call(aJsonEvent({}));
    for (const answer of [await call(), await call(), await call()]) expect(answer.statusCode).toBe(202);
    const ended = () => service.executions.records().filter(({ status }) => status === 'succeeded').length;
    for (let count = 1; count <= 3; count++) {
      await service.passTime(500);
      expect(ended()).toBe(count);
    }
  });

  test('a newcomer waits behind those that wait, even if a place is free', async () => {
    const service = await aServiceWith({ concurrency: rule }, begun);
    const [first, second] = [idOf(await service.send()), idOf(await service.send())];
    await service.end(first);
    service.clock.advance(1_001);
    const third = idOf(await service.send());
    expect(await service.held()).toEqual([second, third]);
    await service.sweepAll();
    expect(service.dispatched).toEqual([first, second]);
  });

  test('more than maxQueued get 429, except repeated deliveries', async () => {
    const service = await aServiceWith({ concurrency: { ...rule, maxQueued: 2 } }, begun);
    const key = { 'idempotency-key': 'k' };
    const first = idOf(await service.send(1, key));
    await service.send(2);
    const last = await service.send(3, { 'idempotency-key': 'last' });
    expect(await service.send(4)).toEqual(aProblem(429, 'concurrency-limited'));
    expect(bodyOf(await service.send(1, key))).toMatchObject({ executionId: first, duplicate: true });
    const again = await service.send(3, { 'idempotency-key': 'last' });
    expect(bodyOf(again)).toMatchObject({ executionId: idOf(last), duplicate: true });
    expect(service.executions.records()).toHaveLength(3);
  });

  test('of a burst, no more wait than allowed', async () => {
    const service = await aServiceWith({ concurrency: { ...rule, maxQueued: 5 } }, begun);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, order) => service.send(order)));
    expect(answers.filter(({ statusCode }) => statusCode === 202)).toHaveLength(6);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(4);
    expect(await service.held()).toHaveLength(5);
  });

  test('after refusing a request it refuses others for a second, without a call', async () => {
    let calls = 0;
    const { queues } = inMemoryExecutionStore();
    const full = async () => {
      calls++;
      return { waiting: 2, lastPlace: 2 };
    };
    const service = await aServiceWith(
      { concurrency: { ...rule, maxQueued: 2 } },
      { spoilt: { features: { queues: { ...queues, measure: full } } } },
    );
    for (let order = 0; order < 50; order++) expect((await service.send(order)).statusCode).toBe(429);
    expect(calls).toBe(1);
    service.clock.advance(1_000);
    await service.send();
    expect(calls).toBe(2);
  });

  test('a waiting delivery begins once, however often it is repeated', async () => {
    const service = await aServiceWith({ concurrency: rule }, begun);
    const first = idOf(await service.send());
    const key = { 'idempotency-key': 'k' };
    const second = idOf(await service.send(2, key));
    await service.end(first);
    service.clock.advance(20_000);
    expect(idOf(await service.send(2, key))).toBe(second);
    expect(service.dispatched).toEqual([first]);
    await service.sweepAll();
    expect(service.dispatched).toEqual([first, second]);
  });

  test('one that is cancelled while it waits never begins, and blocks no others', async () => {
    const service = await aServiceWith({ concurrency: rule }, begun);
    const [first, second, third] = [await service.send(), await service.send(), await service.send()].map(
      idOf,
    );
    await service.cancel(second ?? '');
    await service.end(first ?? '');
    service.clock.advance(1_001);
    await service.sweepAll();
    expect(service.dispatched).toEqual([first, third]);
  });

  test('requests stored by a pause keep to the limit too', async () => {
    const service = await aServiceWith({ paused: 'store', concurrency: { max: 2 } }, begun);
    for (let count = 0; count < 5; count++) await service.send();
    await service.put({ concurrency: { max: 2 } });
    await service.sweepAll();
    expect(service.dispatched).toHaveLength(2);
    expect(await service.held()).toHaveLength(3);
  });
});

describe('when something fails', () => {
  const unavailable = async () => {
    throw new AppError(STORE_UNAVAILABLE, {});
  };

  // holds: held-runs-start-once
  test.each(['the queues', 'the release', 'the dispatch', 'the records'])(
    '%s: a later sweep continues, and each execution begins',
    async (what) => {
      let isDown = false;
      const executions = inMemoryExecutionStore();
      const spoil = <Method extends (...given: never[]) => Promise<unknown>>(name: string, method: Method) =>
        ((...given: Parameters<Method>) =>
          isDown && what === name ? unavailable() : method(...given)) as Method;
      const dispatched: string[] = [];
      const service = await aServiceWith(
        { paused: 'store' },
        {
          spoilt: {
            executions: { ...executions, find: spoil('the records', executions.find) },
            queues: {
              ...executions.queues,
              release: spoil('the release', executions.queues.release),
              list: () => (isDown && what === 'the queues' ? broken() : executions.queues.list()),
            },
            dispatcher: {
              dispatch: spoil('the dispatch', async (id: string) => void dispatched.push(id)),
            },
          },
        },
      );
      const ids = [idOf(await service.send()), idOf(await service.send())];
      await service.put({});
      isDown = true;
      await service.sweepAll();
      expect(dispatched).toEqual([]);
      isDown = false;
      service.clock.advance(1);
      await service.sweepAll();
      await service.sweepAll();
      expect(dispatched.sort()).toEqual(ids.sort());
    },
  );

  test('one sweep at a time works through a long queue that no limit holds back, to its end', async () => {
    let begun = 0;
    const opened = Promise.withResolvers<void>();
    const dispatch = async () => {
      begun++;
      await opened.promise;
    };
    const service = await aServiceWith({ paused: 'store' }, { spoilt: { dispatcher: { dispatch } } });
    for (let at = 0; at < 100; at++) await service.send(at);
    await service.put({});
    const first = service.sweep({ only: 'held' });
    while (begun < 25) await setImmediate();
    const others = [service.sweep({ only: 'held' }), service.sweep({ queue })];
    for (let turns = 0; turns < 100; turns++) await setImmediate();
    expect(begun).toBeLessThan(75); // each ends before its 25th
    expect((await service.held()).length).toBeGreaterThan(25);
    opened.resolve();
    await Promise.all([first, ...others]);
    expect(await service.held()).toEqual([]);
    expect(begun).toBe(100);
  });

  test('sweeps look at a paused queue every five minutes, but stored requests begin at once when unpaused', async () => {
    let looks = 0;
    const find = (one: HeldQueue): AsyncIterable<string> => {
      looks++;
      return service.executions.queues.find(one);
    };
    const service = await aServiceWith({ paused: 'store' }, { spoilt: { queues: { find } } });
    const id = idOf(await service.send());
    for (let minute = 0; minute < 10; minute++) {
      await service.sweep({ only: 'held' });
      service.clock.advance(60_000);
    }
    expect(looks).toBe(2);
    await service.put({});
    await service.sweep({ queue });
    expect(await service.record(id)).toMatchObject({ held: null, status: 'succeeded' });
  });

  test('a sweep without time begins nothing, and the next one continues', async () => {
    const service = await aServiceWith({ paused: 'store' });
    const id = idOf(await service.send());
    await service.put({});
    for (const event of [{ only: 'held' }, { queue }])
      await service.sweep(event, { getRemainingTimeInMillis: () => 30_000 });
    expect(await service.held()).toEqual([id]);
    await service.sweep({ only: 'held' }, { getRemainingTimeInMillis: () => 30_001 });
    expect(await service.held()).toEqual([]);
  });

  test('a dead letter about a held execution begins nothing', async () => {
    const service = await aServiceWith({ paused: 'store' }, { dispatches: false });
    const executionId = idOf(await service.send());
    const before = await service.record(executionId);
    const messageAttributes = { RequestID: { stringValue: 'request-1' } };
    const message = { messageId: 'm-1', body: JSON.stringify({ executionId }), messageAttributes };
    expect(await service.sweep({ Records: [message] })).toEqual({ batchItemFailures: [] });
    expect(await service.record(executionId)).toEqual(before);
    expect(service.dispatched).toEqual([]);
  });

  test('a queue stays in use for ten minutes, since an execution that entered it may not be stored yet', async () => {
    const service = await aServiceWith({ paused: 'store' });
    const { queues } = service.executions;
    await service.put({});
    await queues.enter(queue, { now: service.clock.now(), maxPlace: 1 });
    const inUse = async () => {
      await service.sweepAll();
      const all: HeldQueue[] = [];
      for await (const one of queues.list()) all.push(one);
      return all;
    };
    service.clock.advance(600_000);
    expect(await inUse()).toEqual([queue]);
    service.clock.advance(1);
    expect(await inUse()).toEqual([]);
  });

  test('after a crash between release and dispatch, it is dispatched after two minutes', async () => {
    const service = await aServiceWith({ paused: 'store' }, { dispatches: false });
    const executionId = idOf(await service.send());
    await service.put({});
    const releasedAt = service.clock.now();
    const mode = 'durable';
    await service.executions.queues.release(executionId, {
      workflowVersion: 2,
      mode,
      acceptedMode: mode,
      releasedAt,
    });
    await service.sweepAll();
    expect(service.dispatched).toEqual([]);
    service.clock.advance(900_000);
    await service.sweepAll();
    expect(service.dispatched).toEqual([executionId]);
  });

  test('a request that cannot be queued is refused, and nothing is kept', async () => {
    const service = await aServiceWith(
      { concurrency: { max: 1, onLimit: 'queue' } },
      { spoilt: { features: { queues: { measure: unavailable, enter: unavailable } } } },
    );
    expect((await service.send()).statusCode).toBe(503);
    expect(service.executions.records()).toEqual([]);
  });
});

// biome-ignore lint/correctness/useYield: it fails before its first value
async function* broken(): AsyncGenerator<HeldQueue> {
  throw new AppError(STORE_UNAVAILABLE, {});
}

describe('is refused when it is stored', () => {
  const problemsOf = (parameters: Record<string, JsonValue>) =>
    checkWebhookRules({
      id: 'shop',
      name: 'shop',
      enabled: true,
      connections: [],
      nodes: [{ id: 'start', type: 'webhookTrigger', parameters }],
    });

  test.each<[Record<string, JsonValue>, string]>([
    [{ paused: 'store', responseMode: 'lastNode' }, '/paused'],
    [{ paused: 'later' }, '/paused'],
    [{ concurrency: { max: 1, onLimit: 'queue' }, responseMode: 'responseNode' }, '/concurrency/onLimit'],
    [{ concurrency: { max: 1, maxQueued: 5 } }, '/concurrency/maxQueued'],
    [{ concurrency: { max: 1, onLimit: 'queue', maxQueued: 0 } }, '/concurrency/maxQueued'],
  ])('%j', async (parameters, path) => {
    const [problem] = await problemsOf(parameters);
    expect(problem?.path).toBe(`/nodes/0/parameters${path}`);
  });

  test.each<Record<string, JsonValue>>([
    { paused: 'store' },
    { paused: false, responseMode: 'lastNode' },
    { concurrency: { max: 1, onLimit: 'queue', maxQueued: 5 } },
  ])('but not %j', async (parameters) => {
    expect(await problemsOf(parameters)).toEqual([]);
  });
});
