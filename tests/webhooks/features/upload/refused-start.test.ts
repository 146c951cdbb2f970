import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { STORE_UNAVAILABLE } from '../../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../../lib/shared/errors.ts';
import { createUploadId } from '../../../../lib/webhooks/features/upload/upload-id.ts';
import { aProblem, bodyOf } from '../../../support/a-problem.ts';
import { aJsonEvent, aWebhookEvent } from '../../../support/a-webhook-event.ts';
import { anUploadService, aReadyUpload, csv } from '../../../support/an-upload-service.ts';

const DAY_MS = 86_400_000;

describe('no run starts', () => {
  const spoilt = (id: string, at: number) =>
    `${id.slice(0, at)}${id[at] === 'A' ? 'B' : 'A'}${id.slice(at + 1)}`;

  test.each<[string, (id: string) => string]>([
    ['is no id', () => 'x'],
    ['belongs to a different execution', (id) => spoilt(id, 3)],
    ['is altered', (id) => spoilt(id, 60)],
    ['is longer than any', (id) => `${id}${'A'.repeat(10_000)}`],
  ])('for an id that %s', async (_case, spoil) => {
    const { answer, call, executions } = await aReadyUpload();
    const query = `upload=${spoil(bodyOf(answer).uploadId)}`;
    const refused = await call(aWebhookEvent({ query }));
    expect(refused).toEqual(aProblem(404, 'upload-not-found'));
    expect(bodyOf(refused).detail).toContain('this webhook did not issue this id');
    expect(executions.records()).toEqual([]);
  });

  test('for an id of another path or another workflow', async () => {
    const { request, send, start, putWorkflow } = await anUploadService({ path: '/orders/:shop' });
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
  ])('for a forged id, under which nothing can have been put: %s', async (_case, changes, status) => {
    const { call, executions } = await aReadyUpload();
    const place = { workflowId: 'shop', triggerNodeId: 'start', path: '/orders' };
    const content = { ...csv, expiresAt: Number.MAX_SAFE_INTEGER, requestId: 'forged', ...changes };
    const { uploadId } = createUploadId(place, content);
    expect((await call(aWebhookEvent({ query: `upload=${uploadId}` }))).statusCode).toBe(status);
    expect(executions.records()).toEqual([]);
  });

  test('before the bytes are stored', async () => {
    const service = await anUploadService();
    const refused = await service.start(await service.request());
    expect(refused).toEqual(aProblem(404, 'upload-not-found'));
    expect(bodyOf(refused).detail).toContain('its bytes have not been uploaded');
  });

  test('for an object of another size', async () => {
    const service = await anUploadService();
    const answer = await service.request();
    await service.send(answer, 'id\n');
    expect(await service.start(answer)).toEqual(aProblem(404, 'upload-not-found'));
  });

  test('a day later', async () => {
    const { answer, start, clock } = await aReadyUpload();
    clock.advance(DAY_MS);
    const refused = await start(answer);
    expect(refused).toEqual(aProblem(404, 'upload-not-found'));
    expect(bodyOf(refused).detail).toContain('it has expired');
  });

  test('for a request with a body, or with two ids', async () => {
    const { answer, start, call, executions } = await aReadyUpload();
    expect(await start(answer, { body: '{}' })).toEqual(aProblem(400, 'upload-invalid'));
    const twice = await call(aWebhookEvent({ query: 'upload=a&upload=b' }));
    expect(twice).toEqual(aProblem(400, 'upload-invalid'));
    expect(executions.records()).toEqual([]);
  });

  test('for a file that the webhook no longer accepts', async () => {
    const { answer, start, putWorkflow, clock } = await aReadyUpload();
    await putWorkflow({ webhook: { upload: { maxBytes: 10 } } });
    clock.advance(10_000);
    expect(await start(answer)).toEqual(aProblem(413, 'file-too-large'));
  });

  test.each(['findSize', 'keep'])(
    'when the store fails in %s, but one starts with the next try',
    async (name) => {
      let isDown = true;
      const { answer, start, uploads, executions } = await aReadyUpload();
      const works = uploads[name as 'keep'];
      Object.assign(uploads, {
        [name]: (...args: Parameters<typeof works>) => {
          if (isDown) throw new AppError(STORE_UNAVAILABLE, {});
          return works(...args);
        },
      });
      expect(await start(answer)).toEqual(aProblem(503, 'store-unavailable'));
      expect(executions.records()).toEqual([]);
      isDown = false;
      expect((await start(answer)).statusCode).toBe(200);
    },
  );

  test('above the concurrency limit, and the file stays pending', async () => {
    const { answer, call, start, uploads } = await aReadyUpload(
      { responseMode: 'onReceived', concurrency: { max: 1 } },
      { spoilt: { dispatcher: { dispatch: async () => {} } } },
    );
    expect((await call(aJsonEvent({}))).statusCode).toBe(202);
    expect((await start(answer)).statusCode).toBe(429);
    expect(uploads.kept).toEqual([]);
  });
});
