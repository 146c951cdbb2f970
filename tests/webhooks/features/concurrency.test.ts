import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { DISPATCH_REFUSED, STORE_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { checkWebhookRules } from '../../../packages/authoring/validation/check-webhooks.ts';
import { aProblem, bodyOf } from '../../support/a-problem.ts';
import { anExecutionEnd } from '../../support/a-start.ts';
import { aJsonEvent } from '../../support/a-webhook-event.ts';
import { type AWorkflow, aWebhookService, type ServiceOptions } from '../../support/a-webhook-service.ts';

/** Accepted executions stay so, until the test ends them. */
const aServiceWith = async (concurrency: JsonValue, spoilt: ServiceOptions['spoilt'] = {}) => {
  const service = await aWebhookService({ spoilt: { dispatcher: { dispatch: async () => {} }, ...spoilt } });
  const put = (value: JsonValue, webhook: AWorkflow['webhook'] = {}) =>
    service.put({ webhook: { responseMode: 'onReceived', concurrency: value, ...webhook } });
  await put(concurrency);
  return {
    ...service,
    put,
    start: (key?: string) =>
      service.call(aJsonEvent({}, key === undefined ? {} : { headers: { 'idempotency-key': key } })),
    end: async (answer: Parameters<typeof bodyOf>[0]) => {
      await service.executions.finish(bodyOf(answer).executionId, anExecutionEnd());
      service.clock.advance(1_001); // it is believed for a second that it goes on
    },
    statuses: () => service.executions.records().map(({ status }) => status),
  };
};

test('beyond the limit, requests get 429 and start nothing, until an execution has ended', async () => {
  const service = await aServiceWith({ max: 2 });
  const first = await service.start();
  expect([first.statusCode, (await service.start()).statusCode]).toEqual([202, 202]);
  const refused = await service.start();
  expect(refused).toEqual(aProblem(429, 'concurrency-limited'));
  expect(refused.headers).toMatchObject({ 'retry-after': '2' });
  expect(service.statuses()).toEqual(['accepted', 'accepted']);
  await service.end(first);
  expect((await service.start()).statusCode).toBe(202);
  expect((await service.start()).statusCode).toBe(429);
});

test('a flood of refused requests looks for a slot once a second', async () => {
  let calls = 0;
  const slots = {
    take: async () => {
      calls++;
      return false;
    },
    list: async () => {
      calls++;
      return [[{ executionId: 'other', takenAt: 0 }]];
    },
  };
  const open = async () => ({ status: 'running', mode: 'express', held: null }) as never;
  const service = await aServiceWith({ max: 1 }, { features: { slots, executions: { find: open } } });
  for (let count = 0; count < 50; count++) expect((await service.start()).statusCode).toBe(429);
  expect(calls).toBe(1);
  service.clock.advance(1_000);
  await service.start();
  expect(calls).toBe(3); // a try, and what is held
});

test('cancelOldest cancels the execution that began first', async () => {
  const service = await aServiceWith({ max: 2, onLimit: 'cancelOldest' });
  for (let count = 0; count < 4; count++) {
    expect((await service.start()).statusCode).toBe(202);
    service.clock.advance(10);
  }
  expect(service.statuses()).toEqual(['cancelled', 'cancelled', 'accepted', 'accepted']);
});

test('after the limit is lowered, as many are cancelled as exceed it', async () => {
  const service = await aServiceWith({ max: 3 });
  for (let count = 0; count < 3; count++) {
    await service.start();
    service.clock.advance(10_000); // the workflow is read again
  }
  await service.put({ max: 1, onLimit: 'cancelOldest' });
  expect((await service.start()).statusCode).toBe(202);
  expect(service.statuses()).toEqual(['cancelled', 'cancelled', 'cancelled', 'accepted']);
});

describe('repeated deliveries', () => {
  test('at the limit get the answer of the first', async () => {
    const service = await aServiceWith({ max: 1 });
    const first = await service.start('a');
    await service.end(first);
    await service.start('b');
    expect(bodyOf(await service.start('a'))).toMatchObject({ duplicate: true, status: 'succeeded' });
    expect(bodyOf(await service.start('b'))).toMatchObject({ duplicate: true, status: 'accepted' });
  });

  test('that were refused start once there is room, under the same key', async () => {
    const service = await aServiceWith({ max: 1 });
    const first = await service.start('a');
    expect((await service.start('b')).statusCode).toBe(429);
    await service.end(first);
    expect((await service.start('b')).statusCode).toBe(202);
    expect(service.executions.records()).toHaveLength(2);
  });
});

test('an execution that never started holds its slot for a minute', async () => {
  let isRefused = true;
  const dispatch = async () => {
    if (isRefused) throw new AppError(DISPATCH_REFUSED, {});
  };
  const service = await aServiceWith({ max: 1 }, { dispatcher: { dispatch } });
  expect((await service.start()).statusCode).toBe(503);
  isRefused = false;
  expect((await service.start()).statusCode).toBe(429);
  service.clock.advance(60_001);
  expect((await service.start()).statusCode).toBe(202);
});

test('runs with a waiting caller count while they last', async () => {
  const service = await aServiceWith({ max: 1 });
  await service.put({ max: 1 }, { responseMode: 'lastNode' });
  expect((await service.start()).statusCode).toBe(200);
  expect((await service.start()).statusCode).toBe(200);
});

test('while the store fails, nothing is started', async () => {
  const fail = async () => Promise.reject(new AppError(STORE_UNAVAILABLE, {}));
  const slots = { take: fail, list: fail };
  const service = await aServiceWith({ max: 1 }, { features: { slots } });
  expect(await service.start()).toEqual(aProblem(503, 'store-unavailable'));
  expect(service.statuses()).toEqual([]);
});

test('a request whose slot others keep taking is refused in the end', async () => {
  const slots = { take: async () => false, list: async () => [[{ executionId: 'gone', takenAt: 0 }]] };
  const service = await aServiceWith({ max: 1 }, { features: { slots } });
  expect(await service.start()).toEqual(aProblem(429, 'concurrency-limited'));
});

test.each<[JsonObject, string]>([
  [{ concurrency: { max: 0 } }, '/max'],
  [{ concurrency: { max: 101 } }, '/max'],
  [{ concurrency: { max: 1, onLimit: 'wait' } }, '/onLimit'],
  [{ concurrency: { max: 1, onLimit: 'cancelOldest' }, responseMode: 'lastNode' }, '/onLimit'],
  [{ concurrency: 1 }, ''],
])('%j is refused when it is stored', async (parameters, path) => {
  const nodes = [{ id: 'start', type: 'webhookTrigger', parameters }];
  const problems = await checkWebhookRules({ id: 'x', name: 'x', enabled: true, nodes, connections: [] });
  expect(problems).toEqual([{ path: `/nodes/0/parameters/concurrency${path}`, message: expect.any(String) }]);
});
