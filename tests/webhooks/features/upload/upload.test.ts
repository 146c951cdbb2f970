import { describe, expect, test } from '@jest/globals';
import { bodyOf } from '../../../support/a-problem.ts';
import { aJsonEvent } from '../../../support/a-webhook-event.ts';
import { anUploadService, aReadyUpload, csv } from '../../../support/an-upload-service.ts';

const DAY_MS = 86_400_000;

test('a request describes the file, and the response says where to put it and where to start the run', async () => {
  const service = await anUploadService();
  const answer = await service.request();
  const { uploadId, upload, start } = bodyOf(answer);
  const [executionId] = uploadId.split('.');
  const now = service.clock.now();
  expect(answer.statusCode).toBe(201);
  expect(upload).toEqual({
    method: 'PUT',
    url: `https://bucket.test/executions/${executionId}/files/start/0.1?until=${now + 3_600_000}`,
    headers: { 'content-length': String(csv.size) },
    expiresAt: new Date(now + 3_600_000).toISOString(),
  });
  expect(start).toEqual({
    method: 'POST',
    url: `/api/webhook/shop/orders?upload=${uploadId}`,
    expiresAt: new Date(now + DAY_MS).toISOString(),
  });
  expect([service.executions.records(), service.blobs.keys()]).toEqual([[], []]);
});

test('the start URL is encoded like the URL of the request', async () => {
  const service = await anUploadService({ path: '/orders/:shop' });
  const answer = await service.request(csv, { path: 'orders/ä #1' });
  expect(bodyOf(answer).start.url).toMatch(/^\/api\/webhook\/shop\/orders\/%C3%A4%20%231\?upload=/);
});

test('the run starts with the file as its body, which nodes read and which is kept', async () => {
  const { answer, start, executions, uploads, blobs } = await aReadyUpload();
  const [executionId = ''] = bodyOf(answer).uploadId.split('.');
  const started = await start(answer);
  expect([started.statusCode, bodyOf(started)]).toEqual([
    200,
    {
      items: [
        { id: 'A-1', total: '120' },
        { id: 'A-2', total: '80' },
      ],
    },
  ]);
  expect(executions.records()).toMatchObject([{ executionId, status: 'succeeded' }]);
  expect(uploads.kept).toEqual(blobs.keys());
});

test.each(['lastNode', 'onReceived'] as const)(
  'once a run that answers %s has ended, the file expires with its record',
  async (responseMode) => {
    const { answer, start, uploads, blobs, executions } = await aReadyUpload({ responseMode });
    await start(answer);
    expect(executions.records()).toMatchObject([{ status: 'succeeded' }]);
    expect(uploads.kept.map(blobs.lifeOf)).toEqual([4]);
  },
);

test('the body is the value of the file', async () => {
  const service = await anUploadService();
  await service.putWorkflow({ chain: [{ type: 'set', parameters: { values: { body: '{{ body }}' } } }] });
  service.clock.advance(10_000); // the workflow is read again
  const answer = await service.request();
  await service.send(answer);
  const [executionId] = bodyOf(answer).uploadId.split('.');
  expect(bodyOf(await service.start(answer))).toEqual({
    body: { $file: `${executionId}/start/0.1`, ...csv },
  });
});

describe('starting twice', () => {
  test('is one execution with the same response', async () => {
    const { answer, start, executions } = await aReadyUpload();
    const [first, second] = [await start(answer), await start(answer)];
    expect([second.statusCode, second.body]).toEqual([200, first.body]);
    expect(second.headers).toMatchObject({ 'hookloom-duplicate': 'true' });
    expect(executions.records()).toHaveLength(1);
  });

  test('is one in the background, whatever the keys of the requests', async () => {
    const { answer, start, executions } = await aReadyUpload({ responseMode: 'onReceived' });
    const keys = ['a', 'b'].map((key) => ({ headers: { 'idempotency-key': key } }));
    const [first, second] = [await start(answer, keys[0]), await start(answer, keys[1])];
    expect([first.statusCode, second.statusCode]).toEqual([202, 202]);
    expect(bodyOf(second)).toMatchObject({ executionId: bodyOf(first).executionId, duplicate: true });
    expect(executions.records()).toHaveLength(1);
  });

  test('concurrently is one', async () => {
    const { answer, start, executions } = await aReadyUpload();
    const answers = await Promise.all([start(answer), start(answer)]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
    expect(executions.records()).toHaveLength(1);
  });

  test('with two uploads of the same file is two', async () => {
    const { answer, ...service } = await aReadyUpload();
    const other = await service.request(csv, { requestId: 'request-2' });
    await service.send(other);
    await service.start(answer);
    await service.start(other);
    expect(service.executions.records()).toHaveLength(2);
  });
});

describe('the checks of the webhook', () => {
  test('apply to each request of an upload', async () => {
    const service = await anUploadService({ authentication: 'apiKey', credentialId: 'gone' });
    expect((await service.request()).statusCode).toBe(503);
    const limited = await aReadyUpload({ rateLimit: { requests: 2, seconds: 60, per: 'path' } });
    expect((await limited.start(limited.answer)).statusCode).toBe(200);
    expect((await limited.start(limited.answer)).statusCode).toBe(429);
  });

  test('let onlyIf read the statement and the file alike', async () => {
    const service = await aReadyUpload({ onlyIf: "body.mediaType = 'text/csv'" });
    expect((await service.start(service.answer)).statusCode).toBe(200);
    const skipped = await service.request({ ...csv, mediaType: 'image/png' });
    expect([skipped.statusCode, bodyOf(skipped)]).toEqual([200, { skipped: true }]);
  });
});

test.each([
  ['without the parameter in the query', {}],
  ['with another one', { query: 'uploads' }],
])('other requests work as before: %s', async (_case, changes) => {
  const service = await anUploadService();
  await service.putWorkflow({ chain: [{ type: 'set', parameters: { values: { body: '{{ body }}' } } }] });
  service.clock.advance(10_000);
  const answer = await service.call(aJsonEvent({ a: 1 }, changes));
  expect([answer.statusCode, bodyOf(answer)]).toEqual([200, { body: { a: 1 } }]);
});

test('under another method of the trigger, the query is an ordinary query', async () => {
  const service = await anUploadService({ methods: ['POST', 'PUT'] });
  expect((await service.request(csv, { method: 'PUT' })).statusCode).not.toBe(201);
});
