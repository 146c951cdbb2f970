import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import fc from 'fast-check';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { randomIds, systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { openRecordRequest } from '../../lib/app/compose/open-requests.chunk.ts';
import { openWebhook } from '../../lib/app/compose/webhook.ts';
import { createWebhookFunction } from '../../lib/app/webhook-handler.ts';
import type { RequestRecord } from '../../lib/webhooks/requests/request-record.ts';
import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { startRecordingProxy } from '../support/a-recording-proxy.ts';
import { aWebhookEvent } from '../support/a-webhook-event.ts';
import { aWebhookService, type WebhookService } from '../support/a-webhook-service.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { cases } from '../support/deep.ts';
import { environmentOf } from '../support/function-environment.ts';
import { inMemoryRequestStore } from '../support/in-memory-stores.ts';
import { useTestDatabases } from '../support/test-database.ts';

// Nobody can find out by asking which workflows exist: what does not answer costs the same calls, whatever the reason.

const openDatabase = useTestDatabases();
const before = { ...process.env };
const cleanups: (() => Promise<void>)[] = [];

beforeEach(() => {
  Object.assign(process.env, environmentOf('webhook', { WORKFLOW_CACHE_SECONDS: '3600' }));
});

afterEach(async () => {
  process.env = { ...before };
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const ABSENT = 'an-id-that-someone-tries';

/** Where nothing answers, by the reason. */
const reasons: Readonly<Record<string, { readonly workflowId: string; readonly path: string }>> = {
  'no workflow has the id': { workflowId: ABSENT, path: 'orders' },
  'the workflow was removed': { workflowId: 'removed', path: 'orders' },
  'no trigger has the path': { workflowId: 'shop', path: 'elsewhere' },
  'the trigger is disabled': { workflowId: 'asleep', path: 'orders' },
  'the workflow is disabled': { workflowId: 'disabled', path: 'orders' },
};

const ways: Readonly<Record<string, Parameters<typeof aWebhookEvent>[0]>> = {
  POST: {},
  GET: { method: 'GET' },
  HEAD: { method: 'HEAD' },
  OPTIONS: { method: 'OPTIONS' },
  'a CORS preflight': {
    method: 'OPTIONS',
    headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
  },
  'a call of an execution': { headers: { 'hookloom-depth': '99' } },
  'a large body': { body: '{"n":1}'.repeat(50_000), headers: { 'content-type': 'application/json' } },
};

/** The webhook function over its tables, and the calls that it makes. */
const aFunction = async () => {
  const { client, tables, endpoint, sdk } = await openDatabase();
  const workflows = createWorkflowStore(client, tables, systemClock);
  const trigger = { id: 'start', type: 'webhookTrigger', parameters: { path: '/orders', method: 'POST' } };
  const cors = { origins: ['https://shop.example'] };
  const listening = { ...trigger, parameters: { ...trigger.parameters, cors } };
  const definitions = [
    aWorkflow({ id: 'shop', nodes: [listening], connections: [] }),
    aWorkflow({ id: 'asleep', nodes: [{ ...listening, disabled: true }], connections: [] }),
    aWorkflow({ id: 'disabled', enabled: false, nodes: [listening], connections: [] }),
    aWorkflow({ id: 'removed', nodes: [listening], connections: [] }),
  ];
  for (const definition of definitions) await workflows.put(definition, toPathConfigs(definition));
  await workflows.remove('removed');
  const proxy = await startRecordingProxy(endpoint);
  cleanups.push(proxy.stop);
  process.env.DYNAMODB_ENDPOINT = proxy.endpoint;
  const parts = openWebhook(installedPlugins);
  const recordRequest = openRecordRequest({
    ...parts,
    tables,
    retentionDays: 30,
    ids: randomIds,
    client: createJsonClient({ region: 'local', endpoint: proxy.endpoint }),
    clock: { ...systemClock, sleep: () => new Promise(() => {}) }, // without its deadline, so that the store has made every call
  });
  const handler = createWebhookFunction({ ...parts, recordRequest });
  return {
    tables,
    sdk,
    ask: async (changes: Parameters<typeof aWebhookEvent>[0]) => {
      proxy.calls.splice(0);
      const event = aWebhookEvent(changes);
      const answer = (await handler(event as never, {} as never)) as APIGatewayProxyStructuredResultV2;
      return { answer, calls: proxy.calls.map(({ target, table }) => `${target.split('.')[1]} ${table}`) };
    },
  };
};

describe('an address without a webhook', () => {
  // holds: unknown-webhooks-look-alike
  test.each(Object.keys(ways))(
    'costs the same calls and gets the same response, whatever the reason: %s',
    async (way) => {
      const { ask, tables } = await aFunction();
      const read = `GetItem ${tables.workflows}`;
      const recorded = `PutItem ${tables.requests}`;
      const answers = new Set<string>();
      for (const [reason, place] of Object.entries(reasons)) {
        const cold = await ask({ ...ways[way], ...place });
        const warm = await ask({ ...ways[way], ...place });
        expect([reason, cold.calls, warm.calls]).toEqual([reason, [read, recorded], [recorded]]);
        for (const { answer } of [cold, warm]) answers.add(JSON.stringify(answer));
      }
      expect([...answers].map((answer) => JSON.parse(answer))).toEqual([
        expect.objectContaining({ statusCode: 404 }),
      ]);
    },
  );

  test('leaves a record for the owners of the workflow, and no other trace', async () => {
    const { ask, sdk, tables } = await aFunction();
    const secret = 'unredacted words of a stranger';
    for (const place of Object.values(reasons)) {
      const asked = { ...place, path: `${place.path}/${secret}`, body: secret, query: secret };
      await ask({ ...asked, headers: { 'x-own': secret }, requestId: secret, sourceIp: '198.51.100.77' });
    }
    const { Items = [] } = await sdk.send(new ScanCommand({ TableName: tables.requests }));
    const ids = Items.map(({ workflowId }) => workflowId?.S?.replace(/#.$/, ''));
    expect(ids.filter((id) => id !== '*').sort()).toEqual(['asleep', 'disabled', 'shop']);
    const others = Items.filter(({ workflowId }) => workflowId?.S?.startsWith('*#'));
    expect(others.length).toBeGreaterThan(0);
    for (const { content } of others) {
      const kept = content?.S ?? Buffer.from(content?.B ?? '').toString('hex');
      expect(kept).toMatch(/^(-{100,}|(00){100,})$/);
    }
  });
});

/** The webhook function, and the calls to its store of requests. */
const aCountedService = async (store = inMemoryRequestStore()) => {
  let writes = 0;
  const counted =
    <Result>(write: (record: RequestRecord) => Result) =>
    (record: RequestRecord): Result => {
      writes += 1;
      return write(record);
    };
  const requests = { put: counted(store.put), fill: counted(store.fill) };
  const service = await aWebhookService({ spoilt: { requests } });
  await service.put();
  await service.put({ id: 'asleep', isTriggerDisabled: true });
  await service.put({ id: 'disabled', enabled: false });
  const ask = async (place: Parameters<typeof aWebhookEvent>[0], minute = 0): Promise<number> => {
    const earlier = writes;
    await askAt(service, place, minute);
    return writes - earlier;
  };
  const idsOnRecord = () => store.all().map(({ workflowId }) => workflowId);
  return { service, ask, idsOnRecord };
};

const askAt = async (
  service: WebhookService,
  place: Parameters<typeof aWebhookEvent>[0],
  minute: number,
): Promise<void> => {
  const event = aWebhookEvent(place);
  const requestContext = { ...event.requestContext, timeEpoch: 1_700_000_000_123 + minute * 60_000 };
  expect(await service.call({ ...event, requestContext })).toMatchObject({ statusCode: 404 });
};

describe('a flood of requests at addresses without a webhook', () => {
  const inFlood = (at: number) => ({ workflowId: `stranger-${at}` });

  test('costs at most 60 writes in a minute over all ids', async () => {
    const { ask } = await aCountedService();
    let writes = 0;
    for (let at = 0; at < 300; at++) writes += await ask(inFlood(at));
    expect(writes).toBe(60);
    expect(await ask(inFlood(300), 1)).toBe(1);
  });

  test('costs no more out of order', async () => {
    const { ask } = await aCountedService();
    let writes = 0;
    for (let at = 0; at < 200; at++) writes += await ask(inFlood(at), 1 - (at % 2));
    expect(writes).toBe(60);
  });

  test('costs four failed writes in a minute while the store fails, whatever is requested', async () => {
    const fail = () => Promise.reject(new Error('no table'));
    const { ask } = await aCountedService({ ...inMemoryRequestStore(), put: fail, fill: fail });
    const writes = [];
    for (const workflowId of ['shop', 'stranger', 'disabled', 'stranger', 'shop', 'stranger'])
      writes.push(await ask({ workflowId, path: 'elsewhere' }));
    expect(writes).toEqual([1, 1, 1, 1, 0, 0]);
  });

  // holds: unknown-webhooks-look-alike
  test('reveals nothing either, whatever was requested before', async () => {
    const known = ['shop', 'asleep', 'disabled'];
    const anyId = fc.oneof(
      fc.constantFrom(...known),
      fc.integer({ min: 0, max: 100 }).map((at) => `stranger-${at}`),
    );
    const anyAsked = fc.record({ workflowId: anyId, minute: fc.constantFrom(0, 0, 0, 0, 0, 0, 1) });
    const anyStory = fc.array(anyAsked, { minLength: 55, maxLength: 100 });
    await fc.assert(
      fc.asyncProperty(anyStory, async (story) => {
        const [asked, strange] = [await aCountedService(), await aCountedService()];
        let minute = 0;
        for (const [at, { workflowId, minute: later }] of story.entries()) {
          minute += later;
          const path = 'elsewhere';
          const expected = await strange.ask({ workflowId: `other-${at}`, path }, minute);
          expect(await asked.ask({ workflowId, path }, minute)).toBe(expected);
        }
      }),
      { numRuns: cases(5, 200) },
    );
  });

  test("doesn't keep an author's request off the record: it is written with a later one", async () => {
    const { ask, idsOnRecord } = await aCountedService();
    for (let at = 0; at < 100; at++) await ask(inFlood(at));
    for (const workflowId of ['disabled', 'asleep']) await ask({ workflowId });
    expect(idsOnRecord()).toEqual([]);
    for (let at = 0; at < 3; at++) expect(await ask(inFlood(at), 1)).toBe(1);
    expect(idsOnRecord()).toEqual(['disabled', 'asleep']);
  });

  test('lets one request of each of a hundred workflows wait', async () => {
    const { service, ask, idsOnRecord } = await aCountedService();
    for (let at = 0; at < 60; at++) await ask(inFlood(at));
    for (let at = 0; at < 120; at++) {
      const workflowId = `disabled-${at}`;
      await service.put({ id: workflowId, enabled: false });
      for (let times = 0; times < 3; times++) await ask({ workflowId });
    }
    for (let minute = 1; minute < 4; minute++) for (let at = 0; at < 60; at++) await ask(inFlood(at), minute);
    expect(idsOnRecord()).toEqual(Array.from({ length: 100 }, (_, at) => `disabled-${at}`));
  });

  test('at a place taken by another process costs no second write: the record takes the next one', async () => {
    const store = inMemoryRequestStore();
    const [one, other] = [await aCountedService(store), await aCountedService(store)];
    for (const { ask } of [one, other]) expect(await ask({ workflowId: 'disabled' })).toBe(1);
    expect(one.idsOnRecord()).toEqual(['disabled']);
    expect(await other.ask({ workflowId: 'stranger' })).toBe(1);
    expect(one.idsOnRecord()).toEqual(['disabled', 'disabled']);
  });

  test("takes no place of a workflow's other refused requests", async () => {
    const { service, ask, idsOnRecord } = await aCountedService();
    await service.put({ id: 'paused', webhook: { paused: true } });
    for (let at = 0; at < 100; at++) await ask(inFlood(at));
    for (let at = 0; at < 70; at++) await ask({ workflowId: 'paused', path: 'elsewhere' });
    await service.call(aWebhookEvent({ workflowId: 'paused' }));
    await service.call(aWebhookEvent({ workflowId: 'paused', method: 'PUT' }));
    expect(idsOnRecord()).toEqual(['paused', 'paused']);
  });
});

test('the requested id is in no log', async () => {
  const { service, ask } = await aCountedService();
  await ask({ workflowId: ABSENT });
  const log = service.lines.join('\n');
  expect(log).not.toContain(ABSENT);
  expect(JSON.parse(service.lines.at(-1) ?? '')).toMatchObject({
    status: 404,
    code: 'NOT_FOUND',
    reason: 'workflow: no workflow has this id',
  });
});
