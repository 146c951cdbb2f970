import type { PluginHandle, PluginProvider } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import type { DeliveryStore } from '../../lib/executions/delivery-store.ts';
import { DISPATCH_REFUSED, STORE_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { dueIn } from '../support/a-start.ts';
import { aJsonEvent } from '../support/a-webhook-event.ts';
import { type AWorkflow, aWebhookService, type WebhookService } from '../support/a-webhook-service.ts';
import { inMemoryDeliveryStore } from '../support/in-memory-stores.ts';
import { poll } from '../support/poll.ts';

const later: AWorkflow = { webhook: { responseMode: 'onReceived' } };

const keyed = (key: string, body: unknown = { id: 1 }, headers: Record<string, string> = {}) =>
  aJsonEvent(body, { headers: { 'idempotency-key': key, ...headers } });

describe('a repeated delivery', () => {
  // holds: one-delivery-one-run
  test('gets the first execution, and starts nothing', async () => {
    const service = await aWebhookService();
    await service.put(later);
    const first = await service.call(keyed('k-1'));
    const again = await service.call(keyed('k-1'));
    expect([first.statusCode, again.statusCode]).toEqual([202, 202]);
    expect(bodyOf(first)).toEqual({
      executionId: expect.any(String),
      workflowId: 'shop',
      status: 'accepted',
    });
    expect(bodyOf(again)).toEqual({ ...bodyOf(first), status: 'succeeded', duplicate: true });
    expect(service.executions.records()).toHaveLength(1);
  });

  test.each([
    ['under another key', keyed('k-2')],
    ['without a key', aJsonEvent({ id: 1 })],
  ])('is not one %s', async (_case, event) => {
    const service = await aWebhookService();
    await service.put(later);
    await service.call(keyed('k-1'));
    expect(bodyOf(await service.call(event))).not.toHaveProperty('duplicate');
    expect(service.executions.records()).toHaveLength(2);
  });

  test('is not one at another trigger of the same workflow', async () => {
    const service = await aWebhookService();
    await service.put(later);
    const webhook = await service.workflows.find('shop');
    const [trigger] = webhook?.definition.nodes ?? [];
    const [config] = webhook?.pathConfigs ?? [];
    if (webhook === null || trigger === undefined || config === undefined) throw new Error('no webhook');
    await service.workflows.put(
      { ...webhook.definition, nodes: [...webhook.definition.nodes, { ...trigger, id: 'other' }] },
      [config, { ...config, path: '/other', triggerNodeId: 'other' }],
    );
    await service.call(keyed('k-1'));
    const event = keyed('k-1');
    const other = { ...event, pathParameters: { ...event.pathParameters, path: 'other' } };
    expect(bodyOf(await service.call(other))).not.toHaveProperty('duplicate');
    expect(service.executions.records()).toHaveLength(2);
  });

  test('is recognised by its key of any length, to the last character', async () => {
    const service = await aWebhookService();
    await service.put(later);
    const key = 'k'.repeat(5_000);
    await service.call(keyed(`${key}1`));
    expect(bodyOf(await service.call(keyed(`${key}1`)))).toHaveProperty('duplicate', true);
    expect(bodyOf(await service.call(keyed(`${key}2`)))).not.toHaveProperty('duplicate');
  });

  test('is not one at another workflow', async () => {
    const service = await aWebhookService();
    await service.put({ id: 'a', ...later });
    await service.put({ id: 'b', ...later });
    for (const workflowId of ['a', 'b']) {
      const event = aJsonEvent({}, { workflowId, headers: { 'idempotency-key': 'k' } });
      expect(bodyOf(await service.call(event))).not.toHaveProperty('duplicate');
    }
  });

  test('with another body is refused, and starts nothing', async () => {
    const service = await aWebhookService();
    await service.put(later);
    await service.call(keyed('k-1'));
    expect(await service.call(keyed('k-1', { id: 2 }))).toEqual(aProblem(422, 'delivery-key-reused'));
    expect(service.executions.records()).toHaveLength(1);
  });

  test.each([
    ['query', { query: 'order=1' }, { query: 'order=2' }],
    ['query, that is missing,', { query: 'order=1' }, {}],
  ])('with another %s is refused, and starts nothing', async (_what, first, second) => {
    const service = await aWebhookService();
    await service.put(later);
    const headers = { 'idempotency-key': 'k-1' };
    const [one, two] = [first, second].map((changes) => aJsonEvent({ id: 1 }, { headers, ...changes }));
    await service.call(one as NonNullable<typeof one>);
    expect(await service.call(two as NonNullable<typeof two>)).toEqual(aProblem(422, 'delivery-key-reused'));
    expect(bodyOf(await service.call(one as NonNullable<typeof one>))).toHaveProperty('duplicate', true);
    expect(service.executions.records()).toHaveLength(1);
  });

  test('counts as repeated whatever its query is if its claim is of a release that did not keep it', async () => {
    const claims = inMemoryDeliveryStore();
    const service = await aWebhookService({
      spoilt: {
        deliveries: { claim: ({ requestHash: _, caller: _caller, ...claim }) => claims.claim(claim) },
      },
    });
    await service.put(later);
    const headers = { 'idempotency-key': 'k-1' };
    await service.call(aJsonEvent({ id: 1 }, { headers, query: 'order=1' }));
    const again = await service.call(aJsonEvent({ id: 1 }, { headers, query: 'order=2' }));
    expect(bodyOf(again)).toHaveProperty('duplicate', true);
  });

  test('with the same business key and another body counts as repeated where the webhook says so', async () => {
    const service = await aWebhookService();
    const deduplication = 'body.email';
    await service.put({ webhook: { responseMode: 'onReceived', deduplication, onKeyReuse: 'duplicate' } });
    const first = await service.call(aJsonEvent({ email: 'ada@example.com', note: 'one' }));
    const second = await service.call(aJsonEvent({ email: 'ada@example.com', note: 'two' }));
    expect(second.statusCode).toBe(202);
    expect(bodyOf(second)).toMatchObject({ executionId: bodyOf(first).executionId, duplicate: true });
    expect(service.executions.records()).toHaveLength(1);
  });

  test('is not one after the window', async () => {
    const service = await aWebhookService({ settings: { deduplicationWindowMs: 60_000 } });
    await service.put(later);
    const at = (ms: number) => {
      const event = keyed('k-1');
      return { ...event, requestContext: { ...event.requestContext, timeEpoch: 1_700_000_000_000 + ms } };
    };
    await service.call(at(0));
    expect(bodyOf(await service.call(at(59_999)))).toHaveProperty('duplicate', true);
    expect(bodyOf(await service.call(at(60_000)))).not.toHaveProperty('duplicate');
    expect(service.executions.records()).toHaveLength(2);
  });

  test.each([
    ['github', {}, { 'x-github-delivery': '72d3162e' }],
    ['stripe', { id: 'evt_1' }, {}],
    ['slack', { event_id: 'Ev1' }, {}],
    ['shopify', {}, { 'x-shopify-webhook-id': 'b54557e4' }],
    ['standardWebhooks', {}, { 'webhook-id': 'msg_1' }],
    ['body.order.number', { order: { number: 7 } }, {}],
    ['body.a & "-" & body.b', { a: 'x', b: 'y' }, {}],
  ])('is recognised by what %s finds', async (deduplication, body, headers) => {
    const service = await aWebhookService();
    await service.put({ webhook: { responseMode: 'onReceived', deduplication } });
    const event = aJsonEvent(body, { headers });
    await service.call(event);
    expect(bodyOf(await service.call(event))).toHaveProperty('duplicate', true);
  });

  test.each([
    ['nothing', 'body.missing'],
    ['a map', 'body'],
    ['what cannot be evaluated', '$number("x")'],
  ])('is not recognised by %s', async (_case, deduplication) => {
    const service = await aWebhookService();
    await service.put({ webhook: { responseMode: 'onReceived', deduplication } });
    await service.call(aJsonEvent({ id: 1 }));
    expect(bodyOf(await service.call(aJsonEvent({ id: 1 })))).not.toHaveProperty('duplicate');
  });

  // holds: one-delivery-one-run
  test('of a synchronous run gets the same response, and 409 while it runs', async () => {
    const service = await aWebhookService();
    await service.put({ chain: [{ type: 'set', parameters: { values: { n: '{{ $random() }}' } } }] });
    const first = await service.call(keyed('k-1'));
    const again = await service.call(keyed('k-1'));
    expect(bodyOf(again)).toEqual(bodyOf(first));
    expect(again.headers).toMatchObject({ 'hookloom-duplicate': 'true' });
    expect(service.executions.records()).toHaveLength(1);

    const slow = await aWebhookService({
      spoilt: { executions: { finish: () => Promise.reject(new AppError(STORE_UNAVAILABLE, {})) } },
    });
    await slow.put();
    await slow.call(keyed('k-1'));
    expect(await slow.call(keyed('k-1'))).toEqual(aProblem(409, 'already-started'));
  });

  test('whose run may have succeeded but could not be recorded is never answered as failed', async () => {
    const lost = { nodeId: 'start', name: 'ProcessLost', message: 'its process ended' };
    const service: WebhookService = await aWebhookService();
    await service.put();
    await service.call(keyed('k-1'));
    const [{ executionId } = { executionId: '' }] = service.executions.records();
    const spoilt: WebhookService = await aWebhookService({
      spoilt: {
        executions: {
          find: async () => {
            const record = await service.executions.find(executionId);
            return record === null ? null : { ...record, status: 'failed', failure: lost };
          },
        },
      },
    });
    await spoilt.put();
    expect(await spoilt.call(keyed('k-1'))).toEqual(aProblem(409, 'already-started'));
  });

  test('whose run was cancelled has no response', async () => {
    const service: WebhookService = await aWebhookService({
      spoilt: {
        executions: {
          find: async (id) => {
            const record = await service.executions.find(id);
            return record === null ? null : { ...record, status: 'cancelled' };
          },
        },
      },
    });
    await service.put();
    await service.call(keyed('k-1'));
    expect(await service.call(keyed('k-1'))).toEqual(aProblem(409, 'already-started'));
  });

  test('that can neither be stored nor found is 503, since nothing would run', async () => {
    const dispatched: string[] = [];
    const service = await aWebhookService({
      spoilt: {
        executions: { start: async () => false, find: async () => null },
        dispatcher: { dispatch: async (id) => void dispatched.push(id) },
      },
    });
    await service.put(later);
    expect(await service.call(keyed('k-1'))).toEqual(aProblem(503, 'store-unavailable'));
    expect(dispatched).toEqual([]);
  });

  test('whose run failed is answered as before', async () => {
    const service = await aWebhookService();
    await service.put({ chain: [{ type: 'fails' }] });
    expect(await service.call(keyed('k-1'))).toEqual(aProblem(500, 'execution-failed'));
    const again = await service.call(keyed('k-1'));
    expect(again).toEqual(aProblem(500, 'execution-failed'));
    expect(again.headers).toMatchObject({ 'hookloom-duplicate': 'true' });
    expect(service.executions.records()).toHaveLength(1);
  });
});

describe("a delivery that its sender repeats under the trigger's own key, because its run failed", () => {
  const sender = { deduplication: 'body.id' };

  /** A node that touches the outside and succeeds, then one that fails the given number of times. */
  const aShop = async (
    failures: number,
    webhook: AWorkflow['webhook'] = sender,
    chain = ['charge', 'ship'],
    settings: AWorkflow['settings'] = {},
    deliveries: Partial<DeliveryStore> = {},
  ) => {
    const calls: string[] = [];
    const outside = (id: string, execute: PluginHandle['execute']): PluginHandle => ({
      id,
      name: id,
      description: 'For tests',
      kind: 'action',
      schema: { type: 'object' },
      execute,
    });
    let left = failures;
    const shop: PluginProvider = {
      id: 'shop',
      name: 'Shop',
      version: '1.0.0',
      description: 'For tests',
      category: 'test',
      handles: [
        outside('charge', (_node, _input, context) => {
          calls.push(`charge ${context.idempotencyKey}`);
          return { charged: true };
        }),
        outside('ship', (_node, _input, context) => {
          calls.push(`ship ${context.idempotencyKey}`);
          if (left-- > 0) throw new Error('the shop is closed');
          return { shipped: true };
        }),
      ],
    };
    const service = await aWebhookService({ plugins: [shop], spoilt: { deliveries } });
    await service.put({ webhook: webhook ?? {}, chain: chain.map((type) => ({ type })), settings });
    return { service, calls, keysOf: (name: string) => calls.filter((call) => call.startsWith(name)) };
  };
  const event = aJsonEvent({ id: 'A-1' });

  test('runs again: what succeeded is not done again, what failed has the same idempotency key', async () => {
    const { service, keysOf } = await aShop(2);
    expect(await service.call(event)).toEqual(aProblem(500, 'execution-failed'));
    expect(await service.call(event)).toEqual(aProblem(500, 'execution-failed'));
    const done = await service.call(event);
    expect([done.statusCode, bodyOf(done)]).toEqual([200, { shipped: true }]);
    expect(keysOf('charge')).toHaveLength(1);
    expect(keysOf('ship')).toHaveLength(3);
    expect(new Set(keysOf('ship')).size).toBe(1);
    const [first, second, third] = service.executions.records();
    expect([second?.retryOf?.executionId, third?.retryOf?.executionId]).toEqual([
      first?.executionId,
      second?.executionId,
    ]);
  });

  test('and once it has succeeded, keeps that answer', async () => {
    const { service, calls } = await aShop(1);
    await service.call(event);
    await service.call(event);
    const made = calls.length;
    const repeated = await service.call(event);
    expect([repeated.statusCode, repeated.headers?.['hookloom-duplicate']]).toEqual([200, 'true']);
    expect(calls).toHaveLength(made);
  });

  test('without its results, has the same idempotency keys', async () => {
    const { service, keysOf } = await aShop(1, sender, undefined, { recordData: 'never' });
    await service.call(event);
    expect((await service.call(event)).statusCode).toBe(200);
    expect(keysOf('charge')).toHaveLength(2);
    expect(new Set(keysOf('charge')).size).toBe(1);
  });

  test('runs again once, of many at a time: the others get 409', async () => {
    const { service, keysOf } = await aShop(1);
    await service.call(event);
    const answers = await Promise.all(Array.from({ length: 5 }, () => service.call(event)));
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409, 409, 409, 409]);
    expect(keysOf('ship')).toHaveLength(2);
  });

  test('keeps an answer of the workflow itself', async () => {
    const { service, calls } = await aShop(9, { ...sender, responseMode: 'responseNode' }, [
      'respondToWebhook',
      'ship',
    ]);
    const first = await service.call(event);
    const made = calls.length;
    expect((await service.call(event)).statusCode).toBe(first.statusCode);
    expect(calls).toHaveLength(made);
  });

  test('with another body, which counts as repeated, keeps its answer', async () => {
    const { service, calls } = await aShop(1, { ...sender, onKeyReuse: 'duplicate' });
    await service.call(event);
    const made = calls.length;
    const other = await service.call(aJsonEvent({ id: 'A-1', note: 'two' }));
    expect(other).toEqual(aProblem(500, 'execution-failed'));
    expect(calls).toHaveLength(made);
  });

  test('runs again with its idempotency keys although the process that claimed it has crashed', async () => {
    const claims = inMemoryDeliveryStore();
    const crashesAfter: DeliveryStore['takeOver'] = async (claim) => {
      await claims.takeOver(claim);
      throw new AppError(STORE_UNAVAILABLE, {});
    };
    const { service, keysOf } = await aShop(1, sender, undefined, {}, { ...claims, takeOver: crashesAfter });
    await service.call(event);
    const [failed] = service.executions.records();
    expect(await service.call(event)).toEqual(aProblem(503, 'store-unavailable'));
    expect((await service.call(event)).statusCode).toBe(200);
    expect(service.executions.records().at(-1)?.retryOf?.executionId).toBe(failed?.executionId);
    expect([keysOf('charge').length, new Set(keysOf('ship')).size]).toEqual([1, 1]);
  });

  test('with the header Idempotency-Key keeps its answer', async () => {
    const { service, calls } = await aShop(1);
    await service.call(keyed('k-1'));
    const made = calls.length;
    expect(await service.call(keyed('k-1'))).toEqual(aProblem(500, 'execution-failed'));
    expect(calls).toHaveLength(made);
  });

  test('in the background, runs again as well', async () => {
    const { service, keysOf } = await aShop(1, { ...sender, onTimeout: 'continue' });
    expect((await service.call(event)).statusCode).toBe(500);
    expect((await service.call(event)).statusCode).toBe(200);
    expect(keysOf('charge')).toHaveLength(1);
    expect(new Set(keysOf('ship')).size).toBe(1);
  });
});

describe('the Prefer header (RFC 7240)', () => {
  const answering: AWorkflow = { chain: [{ type: 'set', parameters: { values: { done: true } } }] };
  const preferring = (prefer: string) => aJsonEvent({}, { headers: { prefer } });

  test('gets an immediate response with respond-async', async () => {
    const service = await aWebhookService();
    await service.put(answering);
    const result = await service.call(preferring('respond-async'));
    expect([result.statusCode, result.headers?.['preference-applied']]).toEqual([202, 'respond-async']);
    expect(service.executions.records()).toMatchObject([{ mode: 'durable', status: 'succeeded' }]);
  });

  test('gets the result if it is there within the requested wait', async () => {
    const service = await aWebhookService();
    await service.put(answering);
    const result = await service.call(preferring('respond-async, wait=10'));
    expect([result.statusCode, bodyOf(result)]).toEqual([200, { done: true }]);
    expect(result.headers).toMatchObject({ 'preference-applied': 'respond-async, wait=10' });
  });

  test('names the wait only if it can be that long', async () => {
    const service = await aWebhookService();
    await service.put(answering);
    const context = { getRemainingTimeInMillis: () => 6_000 };
    const applied = async (prefer: string) =>
      (await service.call(preferring(prefer), context)).headers?.['preference-applied'];
    expect(await applied('respond-async, wait=99999')).toBe('respond-async');
    expect(await applied('respond-async, wait=6')).toBe('respond-async');
    expect(await applied('respond-async, wait=5')).toBe('respond-async, wait=5');
  });

  test('gets 202 when the result is not there in time', async () => {
    const service = await aWebhookService({ spoilt: { dispatcher: { dispatch: async () => {} } } });
    await service.put(answering);
    const result = service.call(preferring('respond-async, wait=2'));
    await service.passTime(3_000);
    expect((await result).statusCode).toBe(202);
    expect(bodyOf(await result)).not.toHaveProperty('duplicate');
  });

  test.each(['wait=5', 'return=minimal', 'wait=x, ;;,', 'respond-asynchronously'])(
    'is ignored when it is %s: the caller waits as always',
    async (prefer) => {
      const service = await aWebhookService();
      await service.put(answering);
      const result = await service.call(preferring(prefer));
      expect([result.statusCode, result.headers?.['preference-applied']]).toEqual([200, undefined]);
    },
  );
});

describe('the dispatch of a run', () => {
  const counting = () => {
    const dispatched: string[] = [];
    return { dispatched, dispatch: async (executionId: string) => void dispatched.push(executionId) };
  };

  const putExpress = async (service: WebhookService) => {
    await service.put(later);
    const { definition, pathConfigs } = (await service.workflows.find('shop')) ?? {};
    if (definition === undefined || pathConfigs === undefined) throw new Error('no workflow');
    await service.workflows.put(
      { ...definition, name: 'Express' },
      pathConfigs.map((config) => ({ ...config, execution: 'express' })),
    );
  };

  test('of a durable run is repeated by a duplicate at once: it starts once by its name', async () => {
    const dispatched: string[] = [];
    const crashesFirst = {
      dispatch: async (id: string) => {
        dispatched.push(id);
        if (dispatched.length === 1) await new Promise<never>(() => {}); // its process never comes back
      },
    };
    const service = await aWebhookService({ spoilt: { dispatcher: crashesFirst } });
    await service.put(later);
    const event = keyed('k-1');
    service.clock.advance(event.requestContext.timeEpoch - service.clock.now());
    void service.call(event);
    await poll(async () => dispatched.length === 1);
    expect((await service.call(event)).statusCode).toBe(202);
    const [first] = dispatched;
    expect(dispatched).toEqual([first, first]);
  });

  test('of an express run is not repeated by duplicates while it is in progress, but after a long time', async () => {
    const dispatcher = counting();
    const service = await aWebhookService({ spoilt: { dispatcher } });
    await putExpress(service);
    const event = keyed('k-1');
    const { timeEpoch } = event.requestContext;
    service.clock.advance(timeEpoch - service.clock.now());
    await Promise.all(Array.from({ length: 10 }, () => service.call(event)));
    expect(dispatcher.dispatched).toHaveLength(1);
    service.clock.advance(9_999);
    await service.call(event);
    expect(dispatcher.dispatched).toHaveLength(1);
    service.clock.advance(1);
    expect((await service.call(event)).statusCode).toBe(202);
    expect(dispatcher.dispatched).toHaveLength(2);
  });

  test('of an express run that may have been lost with its process is repeated by a sweep after seconds, if its delivery was repeated', async () => {
    const hangs = { dispatch: () => new Promise<never>(() => {}) };
    const service = await aWebhookService({ spoilt: { dispatcher: hangs } });
    await putExpress(service);
    const event = keyed('k-1');
    const { timeEpoch } = event.requestContext;
    service.clock.advance(timeEpoch - service.clock.now());
    void service.call(event); // its process never comes back
    await poll(async () => service.executions.records().length === 1);
    expect(await dueIn(service.executions, timeEpoch + 14 * 60_000)).toEqual([]);
    expect((await service.call(event)).statusCode).toBe(202);
    expect(await dueIn(service.executions, timeEpoch + 9_999)).toEqual([]);
    expect(await dueIn(service.executions, timeEpoch + 10_000)).toHaveLength(1);
  });
});

describe('a refused dispatch', () => {
  const refusing = (times: number) => {
    const dispatched: string[] = [];
    return {
      dispatched,
      dispatch: async (executionId: string) => {
        if (dispatched.length + times > 0 && times-- > 0) throw new AppError(DISPATCH_REFUSED, {});
        dispatched.push(executionId);
      },
    };
  };

  test.each([
    ['with a key', keyed('k-1'), true],
    ['without a key', aJsonEvent({ id: 1 }), false],
  ])('is 503 with Retry-After, and retrying %s starts one run', async (_case, event, isKept) => {
    const dispatcher = refusing(1);
    const service = await aWebhookService({ spoilt: { dispatcher } });
    await service.put(later);
    const refused = await service.call(event);
    expect(refused).toEqual(aProblem(503, 'dispatch-refused'));
    expect(Number(refused.headers?.['retry-after'])).toBeGreaterThan(0);
    // Another request with the same key may have dispatched it meanwhile, and been answered.
    expect(service.executions.records()).toHaveLength(isKept ? 1 : 0);
    const again = await service.call(event);
    expect(again.statusCode).toBe(202);
    expect(dispatcher.dispatched).toEqual([bodyOf(again).executionId]);
    expect(service.executions.records()).toHaveLength(1);
  });

  test('is 202 when it cannot be withdrawn, since the run will happen', async () => {
    const service = await aWebhookService({
      spoilt: {
        dispatcher: refusing(1),
        executions: { withdraw: () => Promise.reject(new AppError(STORE_UNAVAILABLE, {})) },
      },
    });
    await service.put(later);
    expect((await service.call(aJsonEvent({}))).statusCode).toBe(202);
    expect(service.executions.records()).toMatchObject([{ status: 'accepted' }]);
  });
});
