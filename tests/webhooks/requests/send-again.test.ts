import { describe, expect, test } from '@jest/globals';
import { createBodyParsers } from '../../../lib/app/body-parsers.ts';
import { createOpenFeatures } from '../../../lib/webhooks/features/open-features.ts';
import { toRecordId } from '../../../lib/webhooks/requests/request-record.ts';
import { sendAgain } from '../../../lib/webhooks/requests/send-again.ts';
import { aJsonEvent, aWebhookEvent, type WebhookEventChanges } from '../../support/a-webhook-event.ts';
import { type AWorkflow, aWebhookService, type ServiceOptions } from '../../support/a-webhook-service.ts';
import { featurePorts } from '../../support/feature-ports.ts';

/** A service that has refused a request, and what sends it again. */
const aRefusal = async (
  { webhook, chain = [] }: Pick<AWorkflow, 'webhook' | 'chain'> = {},
  changes: WebhookEventChanges = {},
  options: ServiceOptions = {},
) => {
  const service = await aWebhookService(options);
  await service.put({ webhook: { ...webhook, paused: true }, chain });
  await service.call(changes.body === undefined ? aJsonEvent({ n: 1 }, changes) : aWebhookEvent(changes));
  const [record] = service.requests.all();
  if (record === undefined) throw new Error('nothing is recorded');
  const dispatched: string[] = [];
  let ids = 0;
  const again = (version: number | null = null, id = toRecordId(record)) =>
    sendAgain(id, version, {
      ...service,
      ids: { next: () => `again-${ids++}` },
      logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
      dispatcher: { dispatch: async (executionId) => void dispatched.push(executionId) },
      modeOf: async () => 'express',
      openFeatures: createOpenFeatures(featurePorts({ clock: service.clock })),
      parsersOf: createBodyParsers(100),
    });
  const inputOf = async (executionId: string | null) =>
    JSON.parse((await service.executions.findData(executionId ?? ''))?.input?.slice(1) ?? 'null');
  return { service, record, again, dispatched, inputOf };
};

describe('a request that is sent again', () => {
  test('starts an execution of the current version with what was received, linked to the request', async () => {
    const { again, dispatched, inputOf, service } = await aRefusal({}, { query: 'a=1' });
    const sent = await again();
    expect(sent).toEqual({ workflowId: 'shop', workflowVersion: 1, executionId: 'again-0' });
    expect(dispatched).toEqual(['again-0']);
    expect(await inputOf('again-0')).toEqual({
      triggeredAt: '2023-11-14T22:13:20.123Z',
      body: { n: 1 },
      headers: expect.objectContaining({ 'content-type': 'application/json' }),
      queryParams: { a: '1' },
      requestMethod: 'POST',
      requestPath: '/api/webhook/shop/orders',
      remoteAddress: '192.0.2.7',
    });
    expect(await service.executions.find('again-0')).toMatchObject({
      status: 'accepted',
      mode: 'express',
      requestId: 'request-1',
      trigger: { nodeId: 'start', type: 'webhookTrigger' },
      startedAt: service.clock.now(),
    });
  });

  test('each time, despite signatures and limits on senders, and under the same delivery key', async () => {
    const webhook = {
      signature: { scheme: 'github', credentialId: 'none' },
      allowFrom: ['203.0.113.0/24'],
      rateLimit: { requests: 1, seconds: 3600, per: 'path' },
      maxBodyBytes: 1,
      deduplication: 'body.n',
    } as const;
    const { again, dispatched } = await aRefusal({ webhook });
    for (let count = 0; count < 3; count++) await again();
    expect(dispatched).toHaveLength(3);
  });

  test('runs the requested version', async () => {
    const { again, service } = await aRefusal();
    await service.put({ webhook: { paused: true }, chain: [{ type: 'set', parameters: { values: {} } }] });
    expect(await again(1)).toMatchObject({ workflowVersion: 1 });
    expect(await again()).toMatchObject({ workflowVersion: 2 });
  });

  test('is checked against the schema, and skipped by the filter', async () => {
    const { again, service, dispatched } = await aRefusal();
    await service.put({ webhook: { schema: { type: 'string' } } });
    await expect(again()).rejects.toMatchObject({ code: 'BODY_SCHEMA_MISMATCH' });
    await service.put({ webhook: { onlyIf: 'body.n = 2' } });
    expect(await again()).toEqual({ workflowId: 'shop', workflowVersion: 3, executionId: null });
    expect(dispatched).toEqual([]);
  });

  test.each<[string, AWorkflow, string]>([
    [
      'whose trigger no longer exists',
      { webhook: { path: '/elsewhere' } },
      'version 2 of workflow shop has no enabled trigger for POST /orders',
    ],
    [
      'whose trigger takes another method',
      { webhook: { method: 'PUT' } },
      'version 2 of workflow shop has no enabled trigger for POST /orders',
    ],
    [
      'whose trigger is disabled',
      { isTriggerDisabled: true },
      'version 2 of workflow shop has no enabled trigger for POST /orders',
    ],
    [
      'that is disabled',
      { enabled: false },
      'version 2 of workflow shop has no enabled trigger for POST /orders',
    ],
  ])('is refused by a version %s, by name', async (_case, workflow, reason) => {
    const { again, service, dispatched, record } = await aRefusal();
    await service.put(workflow);
    await expect(again(2)).rejects.toMatchObject({
      code: 'REQUEST_NOT_REPEATABLE',
      parameters: { id: toRecordId(record), reason },
    });
    await expect(again()).rejects.toThrow('workflow shop has no enabled trigger for POST /orders');
    expect(await again(1)).toMatchObject({ workflowVersion: 1 });
    expect(dispatched).toHaveLength(1);
  });

  test.each<[string, WebhookEventChanges, AWorkflow['chain'], string]>([
    [
      'a body whose secret no longer exists',
      { body: '{"password":"x"}' },
      [],
      'a secret was removed from its body',
    ],
    [
      'a body that is too long',
      { body: JSON.stringify(Array.from({ length: 900 }, (_, at) => at * 7919)) },
      [],
      'its body is too long to be stored in full',
    ],
    [
      'a header that the workflow reads',
      { headers: { 'x-gitlab-token': 'abcdefgh' } },
      [{ type: 'set', parameters: { values: { a: '{{ headers.`x-gitlab-token` }}' } } }],
      'the workflow reads the header x-gitlab-token, whose credential was not stored',
    ],
  ])('is refused with %s', async (_case, changes, chain, reason) => {
    const { again, dispatched } = await aRefusal({ chain: chain ?? [] }, changes);
    await expect(again()).rejects.toThrow(reason);
    expect(dispatched).toEqual([]);
  });

  test.each(['shop.r20231114T2213-59', 'nonsense', ''])('is not found by %j', async (id) => {
    const { again } = await aRefusal();
    await expect(again(null, id)).rejects.toMatchObject({ code: 'REQUEST_NOT_FOUND' });
  });

  test('is refused for a missing version or workflow', async () => {
    const { again, service } = await aRefusal();
    await expect(again(9)).rejects.toThrow('there is no version 9 of workflow shop');
    await service.workflows.remove('shop');
    await expect(again()).rejects.toThrow('there is no workflow shop');
  });

  test('leaves nothing behind when the engine refuses it', async () => {
    const { record, service } = await aRefusal();
    const refused = Object.assign(new Error('no'), { code: 'DISPATCH_REFUSED' });
    const sent = sendAgain(toRecordId(record), null, {
      ...service,
      ids: { next: () => 'again-1' },
      logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
      dispatcher: { dispatch: () => Promise.reject(refused) },
      modeOf: async () => 'express',
      openFeatures: createOpenFeatures(featurePorts()),
      parsersOf: createBodyParsers(100),
    });
    await expect(sent).rejects.toBe(refused);
    expect(await service.executions.find('again-1')).toBeNull();
  });

  test('fits beside its execution, however large the record is', async () => {
    const lines = Array.from({ length: 700 }, (_, at) => ({ at, text: `${(at * 7_919_003) % 1_000_003}` }));
    const { again, record } = await aRefusal(
      { webhook: { recordRequests: true } },
      { body: JSON.stringify({ lines }) },
    );
    expect(record.missing).toBeNull();
    expect(record.bodyBytes).toBeGreaterThan(15_000);
    expect(await again()).toMatchObject({ executionId: 'again-0' });
  });
});
