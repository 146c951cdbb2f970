import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { RequestRecord } from '../../../lib/webhooks/requests/request-record.ts';
import { aSignedService } from '../../support/a-signed-service.ts';
import { aJsonEvent, aWebhookEvent } from '../../support/a-webhook-event.ts';
import { type AWorkflow, aWebhookService, type WebhookService } from '../../support/a-webhook-service.ts';
import { inMemoryRequestStore } from '../../support/in-memory-stores.ts';

/** What is looked at of most records. */
const summary = ({ verdict, executionId, refusal, key }: RequestRecord) => ({
  verdict,
  executionId,
  key,
  why: refusal === null ? null : (refusal.reason ?? refusal.code),
});

const summaries = ({ requests }: Pick<WebhookService, 'requests'>) => requests.all().map(summary);

const aService = async (webhook: NonNullable<AWorkflow['webhook']> = {}, workflow: AWorkflow = {}) => {
  const service = await aWebhookService();
  await service.put({ ...workflow, webhook });
  return service;
};

describe('a refused request is recorded', () => {
  test.each<[string, NonNullable<AWorkflow['webhook']>, Parameters<typeof aWebhookEvent>[0], string]>([
    ['an unknown path', {}, { path: 'elsewhere' }, 'path: no enabled trigger of the workflow has this path'],
    ['another method', {}, { method: 'PUT' }, 'METHOD_NOT_ALLOWED'],
    [
      'no credential',
      { authentication: 'apiKey', credentialId: 'none' },
      {},
      'there is no credential "none"',
    ],
    ['a foreign address', { allowFrom: ['203.0.113.0/24'] }, {}, 'CALLER_NOT_ALLOWED'],
    ['a large body', { maxBodyBytes: 1 }, {}, 'BODY_TOO_LARGE'],
    ['a body that is no JSON', {}, { body: '{' }, 'BODY_INVALID'],
    [
      'a body of another schema',
      { schema: { type: 'string' } },
      {},
      'schema: #: Instance type "object" is invalid. Expected "string".',
    ],
    ['a pause', { paused: true }, {}, 'WEBHOOK_PAUSED'],
  ])('with its reason: %s', async (_case, webhook, changes, why) => {
    const service = await aService(webhook);
    const event = {
      ...aJsonEvent({ n: 1 }, changes),
      ...(changes?.body === undefined ? {} : { body: changes.body }),
    };
    const { statusCode } = await service.call(event);
    expect(statusCode).toBeGreaterThanOrEqual(400);
    expect(summaries(service)).toEqual([{ verdict: 'refused', executionId: null, key: null, why }]);
    expect(JSON.parse(service.lines.at(-1) ?? '')).toMatchObject({ workflowId: 'shop', verdict: 'refused' });
  });

  test('at a disabled workflow', async () => {
    const service = await aService({}, { enabled: false });
    await service.call(aWebhookEvent());
    expect(summaries(service)).toMatchObject([{ why: 'workflow: it is disabled' }]);
  });

  test('for its signature, with what is wrong about it', async () => {
    const signature = { scheme: 'slack', credentialId: 'sender' };
    const { send, requests, clock } = await aSignedService({ signature }, { secrets: ['secret-1'] });
    const time = String(clock.now() / 1_000 - 540);
    const signed = createHmac('sha256', 'secret-1').update(`v0:${time}:{}`).digest('hex');
    const headers = { 'x-slack-signature': `v0=${signed}`, 'x-slack-request-timestamp': time };
    expect(await send({ body: '{}', headers })).toBe(403);
    expect(summaries({ requests } as WebhookService)).toMatchObject([
      { why: 'signature: the timestamp is 9 minutes old' },
    ]);
  });

  test('with what is known about it', async () => {
    const service = await aService({ paused: true });
    await service.call(aJsonEvent({ n: 1 }, { query: 'a=1&b=2', headers: { 'user-agent': 'shop/1' } }));
    expect(service.requests.all()).toEqual([
      {
        workflowId: 'shop',
        place: 'r20231114T2213-00',
        requestId: 'request-1',
        receivedAt: 1_700_000_000_123,
        sender: '192.0.2.7',
        method: 'POST',
        path: '/orders',
        query: 'a=1&b=2',
        headers: {
          host: 'api.example.com',
          'x-forwarded-for': '203.0.113.9',
          'content-type': 'application/json',
          'user-agent': 'shop/1',
        },
        body: '{"n":1}',
        bodyBytes: 7,
        missing: null,
        key: null,
        verdict: 'refused',
        executionId: null,
        refusal: {
          code: 'WEBHOOK_PAUSED',
          detail: 'This webhook is paused; nothing was started.',
          reason: null,
        },
      },
    ]);
  });

  test.each<[string, NonNullable<AWorkflow['webhook']>, Record<string, string>, string | null]>([
    ['of the header', {}, { 'idempotency-key': 'k-1' }, 'k-1'],
    ['of the sender', { deduplication: 'github' }, { 'x-github-delivery': 'd-1' }, 'd-1'],
    ['of the body', { deduplication: 'body.n' }, {}, '1'],
    ['that cannot be found', { deduplication: '$error("no")' }, {}, null],
  ])('with its delivery key, which was not looked up: %s', async (_case, webhook, headers, key) => {
    const service = await aService({ ...webhook, paused: true });
    await service.call(aJsonEvent({ n: 1 }, { headers }));
    expect(summaries(service)).toMatchObject([{ key }]);
  });

  test('unless its workflow is unknown, or it is answered', async () => {
    const service = await aService();
    await service.call(aWebhookEvent({ workflowId: 'nobody' }));
    await service.call(aWebhookEvent({ workflowId: 'no body' }));
    await service.call(aJsonEvent({}));
    expect(service.requests.all()).toEqual([]);
  });
});

describe('where the webhook asks for it, a request is recorded', () => {
  const recordRequests = true;

  test('that has started an execution, whatever its result, and a repeated one', async () => {
    const service = await aService({ recordRequests, deduplication: 'body.id' });
    await service.put({ id: 'fails', webhook: { recordRequests }, chain: [{ type: 'fails' }] });
    await service.call(aJsonEvent({ id: 'e-1' }, { requestId: 'request-1' }));
    await service.call(aJsonEvent({ id: 'e-1' }, { requestId: 'request-2' }));
    await service.call(aJsonEvent({ id: 'e-1', more: 1 }, { requestId: 'request-3' }));
    const failed = await service.call(aJsonEvent({}, { workflowId: 'fails', requestId: 'request-4' }));
    const executionId = service.requests.all()[0]?.executionId;
    expect([failed.statusCode, summaries(service)]).toEqual([
      500,
      [
        { verdict: 'started', executionId, key: 'e-1', why: null },
        { verdict: 'duplicate', executionId, key: 'e-1', why: null },
        { verdict: 'refused', executionId: null, key: 'e-1', why: 'DELIVERY_KEY_REUSED' },
        { verdict: 'started', executionId: 'execution-2', key: null, why: null },
      ],
    ]);
  });

  test.each<NonNullable<AWorkflow['webhook']>>([
    { responseMode: 'onReceived' },
    { responseMode: 'lastNode', onTimeout: 'continue' },
  ])('that starts a background run: %j', async (webhook) => {
    const service = await aService({ ...webhook, recordRequests });
    const { body } = await service.call(aJsonEvent({}));
    expect(summaries(service)).toMatchObject([{ verdict: 'started', executionId: expect.any(String) }]);
    expect(body).toBeDefined();
  });

  test('that is skipped, and one that a filter cannot decide on is refused', async () => {
    const service = await aService({ recordRequests, onlyIf: 'body.go' });
    await service.call(aJsonEvent({ go: false }));
    await service.call(aJsonEvent({ go: 1 }));
    expect(summaries(service)).toMatchObject([{ verdict: 'skipped' }, { verdict: 'refused' }]);
  });

  test('in full, if it is larger', async () => {
    const body = { lines: Array.from({ length: 400 }, (_, at) => ({ at, text: `line ${at * 7919}` })) };
    const events = ['shop', 'short'].map((workflowId) => aJsonEvent(body, { workflowId, method: 'PUT' }));
    const service = await aService({ recordRequests, paused: true });
    await service.put({ id: 'short', webhook: { paused: true } });
    for (const event of events)
      await service.call({ ...event, requestContext: { ...event.requestContext, http: { method: 'POST' } } });
    const [whole, short] = service.requests.all();
    expect([whole?.missing, JSON.parse(whole?.body ?? '')]).toEqual([null, body]);
    expect(short).toMatchObject({
      missing: 'its body is too long to be stored in full',
      bodyBytes: whole?.bodyBytes,
    });
    expect(short?.body.length).toBeGreaterThan(200);
  });
});

describe('a flood of refused requests', () => {
  const flood = async (service: WebhookService, count: number, requestId = 'flood') => {
    for (let at = 0; at < count; at++) await service.call(aWebhookEvent({ requestId: `${requestId}-${at}` }));
  };

  test('fills only its places in a minute, at one write each, and all are counted', async () => {
    let writes = 0;
    const store = inMemoryRequestStore();
    const requests = {
      put: (record: RequestRecord) => {
        writes += 1;
        return store.put(record);
      },
    };
    const service = await aWebhookService({ spoilt: { requests } });
    await service.put({ webhook: { paused: true } });
    await flood(service, 200);
    expect([store.all().length, writes]).toEqual([60, 60]);
    const counted = service.lines
      .map((line) => JSON.parse(line))
      .filter(({ verdict }) => verdict === 'refused');
    expect(counted).toHaveLength(200);
    expect(new Set(counted.map(({ code }) => code))).toEqual(new Set(['WEBHOOK_PAUSED']));
    const event = aWebhookEvent();
    await service.call({
      ...event,
      requestContext: { ...event.requestContext, timeEpoch: 1_700_000_060_000 },
    });
    expect(store.all().length).toBe(61);
  });

  test('fills no more of them from many processes, each of which soon gives up', async () => {
    let writes = 0;
    const store = inMemoryRequestStore();
    const requests = {
      put: (record: RequestRecord) => {
        writes += 1;
        return store.put(record);
      },
    };
    for (let count = 0; count < 6; count++) {
      const service = await aWebhookService({ spoilt: { requests } });
      await service.put({ webhook: { paused: true } });
      await flood(service, 80, `process-${count}`);
    }
    expect(store.all().length).toBe(60);
    expect(writes).toBeLessThanOrEqual(60 + 5 * 4);
  });

  test('does not affect other workflows', async () => {
    const service = await aWebhookService();
    for (const id of ['shop', 'other']) await service.put({ id, webhook: { paused: true } });
    await flood(service, 70);
    await service.call(aWebhookEvent({ workflowId: 'other' }));
    expect(service.requests.all().filter(({ workflowId }) => workflowId === 'other')).toHaveLength(1);
  });
});

describe('while the store of requests', () => {
  const answers = async (requests: Parameters<typeof aWebhookService>[0]) => {
    const service = await aWebhookService(requests);
    await service.put({ webhook: { paused: true } });
    await service.put({ id: 'open', webhook: { recordRequests: true } });
    return service;
  };
  const events = [aJsonEvent({}), aJsonEvent({ n: 1 }, { workflowId: 'open' })];

  test('fails, the caller gets the same response', async () => {
    let writes = 0;
    const put = () => {
      writes += 1;
      return Promise.reject(new Error('no table'));
    };
    const [healthy, broken] = [await answers({}), await answers({ spoilt: { requests: { put } } })];
    for (const event of events) expect(await broken.call(event)).toEqual(await healthy.call(event));
    expect(broken.lines.join('\n')).toContain('"The request was not recorded."');
    for (let count = 0; count < 20; count++) await broken.call(aWebhookEvent());
    expect(writes).toBe(5);
  });

  test('does not respond, the caller waits for 300 ms, and four times in a minute', async () => {
    const service = await answers({ spoilt: { requests: { put: () => new Promise(() => {}) } } });
    for (let count = 0; count < 4; count++) {
      const answer = service.call(aWebhookEvent());
      await service.passTime(400);
      expect(await answer).toMatchObject({ statusCode: 503 });
    }
    expect(await service.call(aWebhookEvent())).toMatchObject({ statusCode: 503 });
    const late = service.lines.filter((line) => line.includes('within 300 ms'));
    expect(late).toHaveLength(4);
  });
});
