import { expect, test } from '@jest/globals';
import { cancelExecution } from '../../../lib/executions/lifecycle/cancel-execution.ts';
import { aBackgroundService, aFlow } from '../../support/a-background-service.ts';

const calling = (id: string, maxAttempts: number) => ({
  id,
  type: 'call',
  settings: { retry: { maxAttempts, intervalSeconds: 60 } },
});

test.each([
  [1, 1],
  [2, 2],
  [3, 3],
])(
  'a run that is cancelled before its invocation %d records how often its node was tried',
  async (at, attempts) => {
    const service = await aBackgroundService({ call: () => Promise.reject(new Error('busy')) });
    await service.put(aFlow({ nodes: [calling('shop', 9)], edges: ['start -> shop'] }));
    await service.accept();
    let invocations = 0;
    await service.run('e-1', {
      between: async () => {
        if (invocations++ !== at) return;
        await cancelExecution('e-1', {
          ...service.parts,
          durableService: { stop: async () => {} },
          clock: service.parts.services.clock,
        });
      },
    });
    expect(service.called).toHaveLength(attempts);
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'cancelled',
      nodes: [{ nodeId: 'start' }, { nodeId: 'shop', status: 'failed', attempts }],
    });
  },
);

test('a node that a later process does not try keeps the attempts of the earlier ones', async () => {
  const service = await aBackgroundService({
    call: ({ id }) => (id === 'shop' ? Promise.reject(new Error('busy')) : {}),
  });
  // The wait ends before the second attempt is due: its process only passes by the node that waits for it.
  await service.put(
    aFlow({
      nodes: [
        {
          id: 'shop',
          type: 'call',
          settings: { retry: { maxAttempts: 2, intervalSeconds: 3_600, maxDelaySeconds: 3_600 } },
        },
        { id: 'pause', type: 'wait', parameters: { seconds: 30 } },
      ],
      edges: ['start -> shop', 'start -> pause'],
    }),
  );
  await service.accept();
  const seen: unknown[] = [];
  await service.run('e-1', {
    between: async () => {
      const nodes = (await service.executions.find('e-1'))?.nodes ?? [];
      seen.push(nodes.map(({ nodeId, status, attempts }) => `${nodeId} ${status} ${attempts}`));
    },
  });
  expect(seen).toEqual([
    [],
    ['start succeeded 1', 'shop running 1', 'pause waiting 1'],
    ['start succeeded 1', 'shop running 1', 'pause succeeded 1'],
  ]);
});

test('the times of all attempts are recorded, although each is made by a process of its own', async () => {
  let called = 0;
  const service = await aBackgroundService({
    call: () => (++called < 3 ? Promise.reject(new Error('busy')) : {}),
  });
  await service.put(aFlow({ nodes: [calling('shop', 3)], edges: ['start -> shop'] }));
  await service.accept();
  await service.run('e-1', { between: async () => {} });
  const { nodes = [], invocations } = (await service.executions.find('e-1')) ?? {};
  const { attemptTimes = [] } = nodes[1] ?? {};
  expect([invocations, nodes[1]?.attempts]).toEqual([3, 3]);
  expect(attemptTimes.map(({ number }) => number)).toEqual([1, 2, 3]);
  const times = attemptTimes.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt ?? 0]);
  expect(times.toSorted((a, b) => a - b)).toEqual(times);
});
