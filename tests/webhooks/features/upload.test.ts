import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { JsonObject, JsonValue } from '../../../lib/contract/json.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { createUploadId } from '../../../lib/webhooks/features/upload/upload-id.ts';
import { checkWebhookRules } from '../../../lib/workflows/validation/check-webhook-rules.ts';
import { aProblem, bodyOf } from '../../support/a-problem.ts';
import { aJsonEvent, aWebhookEvent, type WebhookEventChanges } from '../../support/a-webhook-event.ts';
import { type AWorkflow, aWebhookService, type ServiceOptions } from '../../support/a-webhook-service.ts';

const DAY_MS = 86_400_000;
const content = 'id,total\nA-1,120\nA-2,80\n';
const csv = {
  name: 'orders.csv',
  mediaType: 'text/csv',
  size: Buffer.byteLength(content),
  sha256: createHash('sha256').update(content).digest('hex'),
};
const rule = { maxBytes: 1_000, mediaTypes: ['text/csv', 'image/*'] };

type Answer = Parameters<typeof bodyOf>[0];

const aServiceWith = async (webhook: AWorkflow['webhook'] = {}, options: ServiceOptions = {}) => {
  const service = await aWebhookService(options);
  const put = (workflow: AWorkflow = {}) =>
    service.put({
      chain: [{ type: 'csv', parameters: { operation: 'parse', file: '{{ body }}' } }],
      ...workflow,
      webhook: { upload: rule, ...webhook, ...workflow.webhook },
    });
  await put();
  return {
    ...service,
    putWorkflow: put,
    request: (statement: JsonValue = csv, changes: WebhookEventChanges = {}) =>
      service.call(aJsonEvent(statement, { query: 'upload', ...changes })),
    /** What a caller does at the address that it was given. */
    send: (answer: Answer, bytes = content) => {
      const { upload } = bodyOf(answer);
      return service.blobs.put(new URL(upload.url).pathname.slice(1), Buffer.from(bytes));
    },
    start: (answer: Answer, changes: WebhookEventChanges = {}) =>
      service.call(aWebhookEvent({ query: `upload=${bodyOf(answer).uploadId}`, ...changes })),
  };
};

const aReadyUpload = async (...parts: Parameters<typeof aServiceWith>) => {
  const service = await aServiceWith(...parts);
  const answer = await service.request();
  await service.send(answer);
  return { ...service, answer };
};

test('a request says what file it will be, and is answered where to put it, and where to start the run', async () => {
  const service = await aServiceWith();
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

test('the address of the start is encoded as the one of the request was', async () => {
  const service = await aServiceWith({ path: '/orders/:shop' });
  const answer = await service.request(csv, { path: 'orders/ä #1' });
  expect(bodyOf(answer).start.url).toMatch(/^\/api\/webhook\/shop\/orders\/%C3%A4%20%231\?upload=/);
});

test('the run starts with the file as its body, which nodes read, and which is kept', async () => {
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

test('the body is the value of the file', async () => {
  const service = await aServiceWith();
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
  test('is one execution, and the same answer', async () => {
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

  test('at the same time is one', async () => {
    const { answer, start, executions } = await aReadyUpload();
    const answers = await Promise.all([start(answer), start(answer)]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
    expect(executions.records()).toHaveLength(1);
  });

  test('two uploads of the same file are two', async () => {
    const { answer, ...service } = await aReadyUpload();
    const other = await service.request(csv, { requestId: 'request-2' });
    await service.send(other);
    await service.start(answer);
    await service.start(other);
    expect(service.executions.records()).toHaveLength(2);
  });
});

describe('no run starts', () => {
  const spoilt = (id: string, at: number) =>
    `${id.slice(0, at)}${id[at] === 'A' ? 'B' : 'A'}${id.slice(at + 1)}`;

  test.each<[string, (id: string) => string]>([
    ['is no id', () => 'x'],
    ['is of another execution', (id) => spoilt(id, 3)],
    ['is altered', (id) => spoilt(id, 60)],
    ['is longer than any', (id) => `${id}${'A'.repeat(10_000)}`],
  ])('by an id that %s', async (_case, spoil) => {
    const { answer, call, executions } = await aReadyUpload();
    const query = `upload=${spoil(bodyOf(answer).uploadId)}`;
    const refused = await call(aWebhookEvent({ query }));
    expect(refused).toEqual(aProblem(404, 'upload-not-found'));
    expect(bodyOf(refused).detail).toContain('its id is none of this webhook');
    expect(executions.records()).toEqual([]);
  });

  test('by an id of another path, or of another workflow', async () => {
    const { request, send, start, putWorkflow } = await aServiceWith({ path: '/orders/:shop' });
    await putWorkflow({ id: 'foreign' });
    const own = { path: 'orders/a' };
    const answer = await request(csv, own);
    await send(answer);
    for (const foreign of [{ path: 'orders/b' }, { ...own, workflowId: 'foreign' }])
      expect(await start(answer, foreign)).toEqual(aProblem(404, 'upload-not-found'));
    expect((await start(answer, own)).statusCode).toBe(200);
  });

  test.each<[string, JsonObject, number]>([
    ['in order', {}, 404],
    ['without a time', { expiresAt: null }, 404],
    ['of a file that is not taken', { mediaType: 'text/html' }, 400],
    ['with half a size', { size: 0.5 }, 400],
    ['with more keys', { $file: 'execution-1/start/0.1' }, 400],
  ])('by a forged id, for which nothing can have been put: %s', async (_case, changes, status) => {
    const { call, executions } = await aReadyUpload();
    const place = { workflowId: 'shop', triggerNodeId: 'start', path: '/orders' };
    const content = { ...csv, expiresAt: Number.MAX_SAFE_INTEGER, requestId: 'forged', ...changes };
    const { uploadId } = createUploadId(place, content);
    expect((await call(aWebhookEvent({ query: `upload=${uploadId}` }))).statusCode).toBe(status);
    expect(executions.records()).toEqual([]);
  });

  test('before the bytes are there', async () => {
    const service = await aServiceWith();
    const refused = await service.start(await service.request());
    expect(refused).toEqual(aProblem(404, 'upload-not-found'));
    expect(bodyOf(refused).detail).toContain('its bytes are not stored');
  });

  test('with an object of another size', async () => {
    const service = await aServiceWith();
    const answer = await service.request();
    await service.send(answer, 'id\n');
    expect(await service.start(answer)).toEqual(aProblem(404, 'upload-not-found'));
  });

  test('a day later', async () => {
    const { answer, start, clock } = await aReadyUpload();
    clock.advance(DAY_MS);
    const refused = await start(answer);
    expect(refused).toEqual(aProblem(404, 'upload-not-found'));
    expect(bodyOf(refused).detail).toContain('its time is up');
  });

  test('by a request with a body, or with two ids', async () => {
    const { answer, start, call, executions } = await aReadyUpload();
    expect(await start(answer, { body: '{}' })).toEqual(aProblem(400, 'upload-invalid'));
    const twice = await call(aWebhookEvent({ query: 'upload=a&upload=b' }));
    expect(twice).toEqual(aProblem(400, 'upload-invalid'));
    expect(executions.records()).toEqual([]);
  });

  test('with a file that the webhook has come to refuse', async () => {
    const { answer, start, putWorkflow, clock } = await aReadyUpload();
    await putWorkflow({ webhook: { upload: { maxBytes: 10 } } });
    clock.advance(10_000);
    expect(await start(answer)).toEqual(aProblem(413, 'file-too-large'));
  });

  test.each(['findSize', 'keep'])(
    'when the store fails in %s, and it does with the next try',
    async (name) => {
      let isDown = true;
      const { answer, start, uploads, executions } = await aReadyUpload();
      const works = uploads[name as 'keep'];
      Object.assign(uploads, {
        [name]: (key: string) => {
          if (isDown) throw new AppError('STORE_UNAVAILABLE', {});
          return works(key);
        },
      });
      expect(await start(answer)).toEqual(aProblem(503, 'store-unavailable'));
      expect(executions.records()).toEqual([]);
      isDown = false;
      expect((await start(answer)).statusCode).toBe(200);
    },
  );

  test('above the concurrency, and the file stays pending', async () => {
    const { answer, call, start, uploads } = await aReadyUpload(
      { responseMode: 'onReceived', concurrency: { max: 1 } },
      { spoilt: { dispatcher: { dispatch: async () => {} } } },
    );
    expect((await call(aJsonEvent({}))).statusCode).toBe(202);
    expect((await start(answer)).statusCode).toBe(429);
    expect(uploads.kept).toEqual([]);
  });
});

describe('what is said of the file', () => {
  test.each<[string, JsonValue, string]>([
    ['no object', [csv], 'the body must be a JSON object'],
    ['another key', { ...csv, $file: 'a' }, 'it may have name, mediaType, size, sha256 alone'],
    ['a path as the name', { ...csv, name: '../a.csv' }, 'name must be'],
    ['a name that is too long', { ...csv, name: 'a'.repeat(256) }, 'name must be'],
    ['no media type', { ...csv, mediaType: 'csv' }, 'mediaType must be a media type'],
    ['a line break', { ...csv, mediaType: 'text/csv\r\nx: y' }, 'mediaType must be a media type'],
    ['another media type', { ...csv, mediaType: 'text/html' }, 'mediaType must be text/csv, image/*'],
    ['none, where not all are taken', { size: 1, sha256: csv.sha256 }, 'mediaType must be text/csv'],
    ['no hash', { name: 'a', mediaType: 'text/csv', size: 1 }, 'sha256 must be'],
    [
      'a hash in base64',
      { ...csv, sha256: Buffer.from(csv.sha256, 'hex').toString('base64') },
      'sha256 must be',
    ],
    ['no size', { ...csv, size: '5' }, 'size must be'],
    ['half a byte', { ...csv, size: 0.5 }, 'size must be'],
    ['less than nothing', { ...csv, size: -1 }, 'size must be'],
  ])('with %s it is a 400 that says so', async (_case, statement, reason) => {
    const service = await aServiceWith();
    const refused = await service.request(statement);
    expect(refused).toEqual(aProblem(400, 'upload-invalid'));
    expect(bodyOf(refused).detail).toContain(reason);
  });

  test.each<[string, JsonObject, number]>([
    ['as large as may be', { size: 1_000 }, 201],
    ['larger', { size: 1_001 }, 413],
    ['of any image type', { mediaType: 'image/png' }, 201],
    ['with parameters of its type', { mediaType: 'Text/CSV; charset=utf-8' }, 201],
    ['empty', { size: 0 }, 201],
  ])('%s it is %j: %i', async (_case, changes, status) => {
    const service = await aServiceWith();
    expect((await service.request({ ...csv, ...changes })).statusCode).toBe(status);
  });

  test('size and hash are enough, where all types are taken', async () => {
    const service = await aServiceWith({ upload: { maxBytes: 2_000_000 } });
    const { name: _name, mediaType: _type, ...least } = csv;
    expect((await service.request(least)).statusCode).toBe(201);
    const tooLarge = await service.request({ ...least, size: 1_000_001 }); // for the store
    expect(tooLarge).toEqual(aProblem(413, 'file-too-large'));
  });
});

describe('the checks of the webhook', () => {
  test('are those of each of its requests', async () => {
    const service = await aServiceWith({ authentication: 'apiKey', credentialId: 'gone' });
    expect((await service.request()).statusCode).toBe(503);
    const limited = await aReadyUpload({ rateLimit: { requests: 2, seconds: 60, per: 'path' } });
    expect((await limited.start(limited.answer)).statusCode).toBe(200);
    expect((await limited.start(limited.answer)).statusCode).toBe(429);
  });

  test('onlyIf reads what is said of the file, and the file, alike', async () => {
    const service = await aReadyUpload({ onlyIf: "body.mediaType = 'text/csv'" });
    expect((await service.start(service.answer)).statusCode).toBe(200);
    const skipped = await service.request({ ...csv, mediaType: 'image/png' });
    expect([skipped.statusCode, bodyOf(skipped)]).toEqual([200, { skipped: true }]);
  });
});

test.each([
  ['without the parameter in the query', {}],
  ['with another one', { query: 'uploads' }],
])('other requests go on as before: %s', async (_case, changes) => {
  const service = await aServiceWith();
  await service.putWorkflow({ chain: [{ type: 'set', parameters: { values: { body: '{{ body }}' } } }] });
  service.clock.advance(10_000);
  const answer = await service.call(aJsonEvent({ a: 1 }, changes));
  expect([answer.statusCode, bodyOf(answer)]).toEqual([200, { body: { a: 1 } }]);
});

test('by another method of the trigger, a query is a query', async () => {
  const service = await aServiceWith({ methods: ['POST', 'PUT'] });
  expect((await service.request(csv, { method: 'PUT' })).statusCode).not.toBe(201);
});

describe('when the workflow is stored', () => {
  const findProblems = (parameters: JsonObject) => {
    const nodes = [{ id: 'start', type: 'webhookTrigger', parameters }];
    return checkWebhookRules({ id: 'x', name: 'x', enabled: true, nodes, connections: [] });
  };

  test.each<[string, JsonObject, RegExp]>([
    ['no POST', { method: 'GET' }, /needs the method POST/],
    ['no POST among several', { methods: ['GET', 'PUT'] }, /needs the method POST/],
    ['a schema', { schema: { type: 'object' } }, /together with schema/],
    ['a kind of body', { body: { type: 'xml' } }, /together with body/],
  ])('with %s it is refused', async (_case, parameters, message) => {
    expect(await findProblems({ upload: rule, ...parameters })).toContainEqual({
      path: '/nodes/0/parameters/upload',
      message: expect.stringMatching(message),
    });
  });

  test.each<[string, JsonValue]>([
    ['no limit', {}],
    ['more than S3 takes at once', { maxBytes: 5 * 1024 ** 3 + 1 }],
    ['a type in capitals', { maxBytes: 1, mediaTypes: ['Text/CSV'] }],
    ['any type', { maxBytes: 1, mediaTypes: ['*/*'] }],
    ['no types', { maxBytes: 1, mediaTypes: [] }],
    ['another key', { maxBytes: 1, minBytes: 1 }],
  ])('%s is refused', async (_case, upload) => {
    expect(await findProblems({ upload })).not.toEqual([]);
  });
});
