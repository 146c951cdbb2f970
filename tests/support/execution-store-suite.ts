import { describe, expect, test } from '@jest/globals';
import type { NodeRecord } from '../../lib/executions/execution.ts';
import type { ExecutionEnd, ExecutionStart, ExecutionStore } from '../../lib/executions/execution-store.ts';

const start = (changes: Partial<ExecutionStart> = {}): ExecutionStart => ({
  executionId: 'e-1',
  workflowId: 'orders',
  workflowVersion: 3,
  trigger: { nodeId: 'start', type: 'webhookTrigger' },
  startedAt: 1_700_000_000_000,
  ...changes,
});

const nodeRecord = (changes: Partial<NodeRecord> = {}): NodeRecord => ({
  nodeId: 'start',
  type: 'webhookTrigger',
  status: 'succeeded',
  iteration: 0,
  attempts: 1,
  startedAt: 1_700_000_000_000,
  durationMs: 2,
  ...changes,
});

const failure = { nodeId: 'shop', name: 'Error', message: 'The shop is closed.' };

const end = (changes: Partial<ExecutionEnd> = {}): ExecutionEnd => ({
  status: 'succeeded',
  endedAt: 1_700_000_000_500,
  nodes: [nodeRecord()],
  failure: null,
  ...changes,
});

/** What every {@link ExecutionStore} does. @param create makes an empty one */
export const describeExecutionStore = (
  name: string,
  create: () => ExecutionStore | Promise<ExecutionStore>,
) => {
  describe(`${name} keeps executions`, () => {
    test.each(['unknown', '__proto__', 'constructor'])('there is no execution %s', async (id) => {
      const store = await create();
      expect(await store.find(id)).toBeNull();
      expect(await store.finish(id, end())).toBe(false);
      expect(await store.find(id)).toBeNull();
    });

    test('a started execution runs', async () => {
      const store = await create();
      expect(await store.start(start())).toBe(true);
      expect(await store.find('e-1')).toEqual({
        ...start(),
        status: 'running',
        endedAt: null,
        nodes: [],
        nodesOmitted: 0,
        failure: null,
      });
    });

    test('an execution starts once, and the second try changes nothing', async () => {
      const store = await create();
      await store.start(start());
      expect(await store.start(start({ workflowId: 'other', startedAt: 1 }))).toBe(false);
      expect(await store.find('e-1')).toMatchObject(start());
    });

    test('of many who start it at once, one does', async () => {
      const store = await create();
      const starts = Array.from({ length: 10 }, () => store.start(start()));
      expect((await Promise.all(starts)).filter(Boolean)).toHaveLength(1);
    });

    test.each(['succeeded', 'failed', 'timedOut'] as const)(
      'an execution that ends as %s says so',
      async (status) => {
        const store = await create();
        await store.start(start());
        const nodes = [nodeRecord(), nodeRecord({ nodeId: 'shop', status: 'failed', failure })];
        const ended = end({ status, nodes, failure: status === 'succeeded' ? null : failure });
        expect(await store.finish('e-1', ended)).toBe(true);
        expect(await store.find('e-1')).toEqual({ ...start(), ...ended, nodesOmitted: 0 });
      },
    );

    test('a final status never changes', async () => {
      const store = await create();
      await store.start(start());
      await store.finish('e-1', end());
      expect(await store.finish('e-1', end({ status: 'failed', failure }))).toBe(false);
      expect(await store.start(start())).toBe(false);
      expect(await store.find('e-1')).toMatchObject({ status: 'succeeded', failure: null });
    });

    test('of many who end it at once, one does', async () => {
      const store = await create();
      await store.start(start());
      const ends = Array.from({ length: 10 }, (_, at) => store.finish('e-1', end({ endedAt: at })));
      const outcomes = await Promise.all(ends);
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect((await store.find('e-1'))?.endedAt).toBe(outcomes.indexOf(true));
    });

    test('a very long list of nodes can be cut, but says by how much, and keeps what failed', async () => {
      const store = await create();
      await store.start(start());
      const nodes = Array.from({ length: 10_000 }, (_, at) => nodeRecord({ nodeId: `node-${at}` }));
      const all = [...nodes, nodeRecord({ nodeId: 'shop', status: 'failed', failure })];
      expect(await store.finish('e-1', end({ status: 'failed', nodes: all, failure }))).toBe(true);
      const record = await store.find('e-1');
      expect((record?.nodes.length ?? 0) + (record?.nodesOmitted ?? 0)).toBe(all.length);
      expect(record?.nodes.at(0)?.nodeId).toBe('node-0');
      expect(record?.nodes.at(-1)).toEqual(all.at(-1));
    });
  });
};
