import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { unpackText } from '../../lib/executions/record/blob-store.ts';
import { bodyOf } from '../support/a-problem.ts';
import { aJsonEvent } from '../support/a-webhook-event.ts';
import { aWebhookService, type WebhookService } from '../support/a-webhook-service.ts';

const credentials = {
  authorization: 'Bearer canary-authorization',
  cookie: 'theme=dark; session=canary-cookie',
  'x-api-key': 'canary-x-api-key',
  'x-gitlab-token': 'canary-gitlab',
  'proxy-authorization': 'Basic canary-proxy',
};
const anEvent = (headers: Record<string, string> = {}) =>
  aJsonEvent({ id: 1 }, { headers: { ...credentials, 'x-hub-signature-256': 'sha256=abc', ...headers } });

const onRecord = async ({ executions }: WebhookService): Promise<string> => {
  const none = { get: () => Promise.resolve(null) };
  const texts = executions.records().map(async ({ result, ...record }) => {
    const { input = null } = (await executions.findData(record.executionId)) ?? {};
    return [
      record,
      input === null ? null : await unpackText(input, none),
      result === null ? null : await unpackText(result, none),
    ];
  });
  return JSON.stringify(await Promise.all(texts));
};

describe('credentials for other systems in a request', () => {
  test('are not in the stored request, whatever the workflow records', async () => {
    for (const recordData of ['never', 'always'] as const) {
      const service = await aWebhookService({ spoilt: { dispatcher: { dispatch: async () => {} } } });
      await service.put({ webhook: { responseMode: 'onReceived' }, settings: { recordData } });
      expect((await service.call(anEvent())).statusCode).toBe(202);
      const stored = await onRecord(service);
      expect(stored).toContain('x-hub-signature-256');
      expect(stored).not.toContain('canary');
    }
  });

  test('are not in the result that is kept for repeated deliveries, nor in its response', async () => {
    const service = await aWebhookService();
    await service.put();
    const event = anEvent({ 'idempotency-key': 'k-1' });
    const first = await service.call(event);
    const again = await service.call(event);
    expect(first.statusCode).toBe(200);
    expect(again.headers).toMatchObject({ 'hookloom-duplicate': 'true' });
    expect(JSON.stringify([first, again, await onRecord(service)])).not.toContain('canary');
    expect((bodyOf(first).headers as JsonObject).authorization).toBe('[redacted]');
  });

  test('are available to a workflow that names them, but in no result', async () => {
    const service = await aWebhookService();
    await service.put({
      chain: [
        {
          type: 'set',
          parameters: {
            values: {
              mine: '{{ headers.Authorization ? "" : headers.authorization }}',
              token: '{{ $substringAfter(headers.authorization, "Bearer ") }}',
              cookie: '{{ headers.`cookie` }}',
              other: '{{ headers.`x-api` }}',
            },
          },
        },
      ],
    });
    const event = anEvent({ 'idempotency-key': 'k-1' });
    expect(bodyOf(await service.call(event))).toEqual({
      mine: credentials.authorization,
      token: 'canary-authorization',
      cookie: credentials.cookie,
    });
    expect(bodyOf(await service.call(event))).toEqual({
      mine: '[redacted]',
      token: '[redacted]',
      cookie: '[redacted]',
    });
    expect(await onRecord(service)).not.toContain('canary');
  });

  test('are not read by a workflow that only sends such a header itself', async () => {
    const service = await aWebhookService();
    await service.put({
      chain: [
        {
          type: 'set',
          parameters: {
            keepInput: true,
            values: { headersToSend: { authorization: 'Bearer own' }, verify: 'X-GitLab-Token' },
          },
        },
      ],
    });
    const { headers } = bodyOf(await service.call(anEvent())) as { readonly headers: JsonObject };
    expect(headers).toMatchObject({
      authorization: '[redacted]',
      cookie: '[redacted]',
      'x-gitlab-token': 'canary-gitlab', // a parameter names it
      'x-hub-signature-256': 'sha256=abc',
    });
  });
});
