import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { aBackgroundService, aFlow } from '../support/a-background-service.ts';
import { aJsonEvent, aWebhookEvent } from '../support/a-webhook-event.ts';
import { aWebhookService } from '../support/a-webhook-service.ts';
import { anOutboundService } from '../support/outbound-credentials.ts';

/** Credentials whose store says how long it may wait. */
const aSlowStore = (onRead: () => void = () => {}) => {
  const waits: (number | undefined)[] = [];
  const outbound = anOutboundService({
    secrets: {
      get: async (_reference, maxWaitMs) => {
        waits.push(maxWaitMs);
        onRead();
        return 'the-token';
      },
    },
  });
  return { outbound, waits };
};

test.each([
  [30_000, 14_000],
  [11_000, 5_000],
])('an inline run whose function has %d ms waits %d for its credentials', async (remainingMs, maxWaitMs) => {
  const { outbound, waits } = aSlowStore();
  await outbound.put('crm', 'httpBearer', {});
  const service = await aWebhookService({ outboundCredentials: outbound.credentials });
  const url = 'https://api.example.com/orders';
  await service.put({
    id: 'calls',
    chain: [{ type: 'httpRequest', parameters: { url }, credentialId: 'crm' }],
  });
  const event = aJsonEvent({}, { workflowId: 'calls' });
  await service.call(event, { getRemainingTimeInMillis: () => remainingMs });
  expect(outbound.server.requests).toMatchObject([{ url }]);
  expect(waits).toEqual([maxWaitMs]);
});

test('a signature waits eight seconds for its secret', async () => {
  const { outbound, waits } = aSlowStore();
  await outbound.put('sender', 'signingSecret', {});
  const service = await aWebhookService({ outboundCredentials: outbound.credentials });
  await service.put({ webhook: { signature: { scheme: 'github', credentialId: 'sender' } } });
  const headers = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
  await service.call(aWebhookEvent({ body: '{}', headers }));
  expect(waits[0]).toBe(8_000);
});

test('a background run waits minutes for its credentials and reads them together, and its node then has its full time', async () => {
  let time = 1_700_000_000_000;
  const { outbound, waits } = aSlowStore(() => {
    time += 60_000;
  });
  await outbound.put('crm', 'httpBearer', {});
  await outbound.put('shop', 'httpBearer', {});
  const remaining: number[] = [];
  const service = await aBackgroundService({
    outboundCredentials: outbound.credentials,
    clock: {
      now: () => time,
      sleep: async (ms, signal) => {
        for (const endsAt = time + ms; time < endsAt; await setImmediate()) signal?.throwIfAborted();
      },
    },
    call: async (_node, input, context) => {
      for (let turn = 0; turn < 5; turn++) await setImmediate(); // a timeout that is over would fire
      remaining.push(context.remainingMs());
      expect(waits).toHaveLength(2);
      return input;
    },
  });
  const aCall = (id: string, credentialId: string) => ({ id, type: 'call', credentialId });
  await service.put(
    aFlow({ nodes: [aCall('a', 'crm'), aCall('b', 'shop')], edges: ['start -> a', 'a -> b'] }),
  );
  await service.accept();
  await service.run();
  expect((await service.executions.find('e-1'))?.status).toBe('succeeded');
  expect(waits).toEqual([180_000, 180_000]);
  expect(remaining).toEqual([30_000, 30_000]);
});
