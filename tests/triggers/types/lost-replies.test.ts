import { afterEach, expect, test } from '@jest/globals';
import { startFaultProxy } from '../../support/a-fault-proxy.ts';
import { aWorkflowOf } from '../../support/a-registrar.ts';
import { aQueue, aRule, aSchedule, useTriggerServices } from '../../support/a-trigger-service.ts';

const openService = useTriggerServices();
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

test('each call may take effect and lose its response: it is repeated, and nothing exists twice', async () => {
  const lost = new Set<string>();
  const service = await openService({
    through: async (endpoint) => {
      const proxy = await startFaultProxy(endpoint, (_operation, _table, _count, request) => {
        const key = JSON.stringify(request);
        if (lost.has(key)) return 'pass';
        lost.add(key);
        return 'lose the reply';
      });
      cleanups.push(proxy.stop);
      return proxy.endpoint;
    },
  });
  await service.put(aWorkflowOf([aSchedule('1 hour'), aRule('shop'), aQueue('q')]));
  expect(service.outside()).toEqual(['queue q 10', 'rate(1 hour)', 'rule ["shop"]']);
  await service.put(aWorkflowOf([aSchedule('1 hour'), aQueue('q', { batchSize: 1 })]));
  expect(service.outside()).toEqual(['queue q 1', 'rate(1 hour)']);
  await service.remove('orders');
  expect(service.outside()).toEqual([]);
  expect(lost.size).toBeGreaterThan(5);
});
