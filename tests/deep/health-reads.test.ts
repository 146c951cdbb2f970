import { describe, expect, test } from '@jest/globals';
import pLimit from 'p-limit';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createListDefinitions, createRunSource } from '../../lib/adapters/dynamodb/health/health-reads.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import type { NodeRecord } from '../../lib/engine/result.ts';
import { sampleRuns } from '../../lib/health/sample-runs.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { useMeteredDatabases } from '../support/a-metered-client.ts';
import { anExecutionEnd, anExecutionStart } from '../support/a-start.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();
const openMetered = useMeteredDatabases();
const clock = aManualClock();

describe('the executions of a workflow', () => {
  const aNode = (changes: Partial<NodeRecord> = {}): NodeRecord => ({
    nodeId: 'a',
    type: 'set',
    status: 'succeeded',
    iteration: 0,
    attempts: 1,
    startedAt: 0,
    durationMs: 0,
    outputs: { main: 'x'.repeat(2_000) },
    ...changes,
  });

  const aHistory = async () => {
    const { client, tables } = await openDatabase();
    const executions = createExecutionStore(client, tables, { retentionDays: 30, clock });
    for (const [at, workflowId] of ['a', 'a', 'b', 'a'].entries()) {
      const executionId = `e-${at}`;
      await executions.start(anExecutionStart({ executionId, workflowId, startedAt: clock.now() + at }));
      const nodes = [aNode({ type: `of-${at}` })];
      if (at < 3) await executions.finish(executionId, anExecutionEnd({ nodes, nodesOmitted: at }));
    }
    const source = createRunSource(client, tables);
    const find = async (id: string, from: number, limit: number) => {
      const { ids, hasMore } = await source.find({ id, isHighVolume: false }, from, limit);
      return { executions: await source.read(ids), hasMore };
    };
    return { source, find };
  };

  test('are read the latest first, without node data', async () => {
    const { find } = await aHistory();
    const latest = [
      { nodes: [], nodesOmitted: 0 }, // it has not begun
      { nodes: [{ type: 'of-1', status: 'succeeded' }], nodesOmitted: 1 },
    ];
    const first = { nodes: [{ type: 'of-0', status: 'succeeded' }], nodesOmitted: 0 };
    expect(await find('a', 0, 2)).toEqual({ executions: latest, hasMore: true });
    expect(await find('a', 0, 3)).toEqual({ executions: [...latest, first], hasMore: false });
  });

  test('are read of a synchronous run, too, which is written once', async () => {
    const { client, tables } = await openDatabase();
    const executions = createExecutionStore(client, tables, { retentionDays: 30, clock });
    const start = anExecutionStart({ executionId: 'e-1', mode: 'inline' });
    const { outputs: _data, ...node } = aNode({ type: 'of-1' });
    await executions.startAndFinish(start, anExecutionEnd({ nodes: [node] }));
    expect(await createRunSource(client, tables).read(['e-1'])).toEqual([
      { nodes: [{ type: 'of-1', status: 'succeeded' }], nodesOmitted: 0 },
    ]);
  });

  test('are those since a time', async () => {
    const { find } = await aHistory();
    expect((await find('a', clock.now() + 1, 10)).executions).toHaveLength(2);
    expect(await find('a', clock.now() + 4, 10)).toEqual({ executions: [], hasMore: false });
  });

  test('of an unknown workflow are empty', async () => {
    expect(await (await aHistory()).find('c', 0, 10)).toEqual({ executions: [], hasMore: false });
  });
});

test.each([20, 80])(
  'the runs of %i workflows cost a search each, and a read for each hundred',
  async (size) => {
    const { client, metered, tables, count } = await openMetered();
    const executions = createExecutionStore(client, tables, { retentionDays: 30, clock });
    const workflows = Array.from({ length: size }, (_, at) => ({
      id: `w-${at}`,
      isHighVolume: at % 2 === 1,
    }));
    await pLimit(10).map(workflows, async ({ id, isHighVolume }, at) => {
      if (at % 4 > 1) return; // half have never run
      for (let run = 0; run < 5; run++) {
        const executionId = `${id}-${run}`;
        const start = {
          executionId,
          workflowId: id,
          startToken: executionId,
          input: null,
          startedAt: clock.now(),
        };
        await executions.start(anExecutionStart({ ...start, ...(isHighVolume ? { isHighVolume } : {}) }));
      }
    });
    const limits = { maxExecutions: 500, maxWorkflows: 300, clock, endsAt: clock.now() + 1 };
    let found = 0;
    const { reads } = await count(async () => {
      found = (await sampleRuns(workflows, 0, createRunSource(metered, tables), limits)).executions;
    });
    expect(found).toBeGreaterThanOrEqual(size * 1.25); // of the busy half, all of the plain ones and a part of the others
    expect(reads).toBe(size + Math.ceil(found / 100));
  },
);

describe('the workflows', () => {
  test('are listed with their current versions; removed ones by id only', async () => {
    const { client, tables } = await openDatabase();
    const workflows = createWorkflowStore(client, tables, clock);
    for (const id of ['a', 'b']) await workflows.put(aWorkflow({ id }), []);
    await workflows.put(aWorkflow({ id: 'a', name: 'Later' }), []);
    await workflows.remove('b');
    const { ids, definitions, isComplete } = await createListDefinitions(client, tables)();
    expect(ids.toSorted()).toEqual(['a', 'b']);
    expect(definitions).toEqual([aWorkflow({ id: 'a', name: 'Later' })]);
    expect(isComplete).toBe(true);
  });

  test('are read up to a limit, which is reported, and from another place each time', async () => {
    const { client, tables } = await openDatabase();
    const workflows = createWorkflowStore(client, tables, clock);
    const name = 'x'.repeat(100_000);
    for (const id of 'abcdefg') await workflows.put(aWorkflow({ id, name }), []); // 1.4 MB: the name is stored twice
    const all = await createListDefinitions(client, tables, { maxPages: 2 })();
    expect(all).toMatchObject({ ids: { length: 7 }, isComplete: true });
    const seen = new Set<string>();
    const counts = new Set<number>();
    for (let turn = 0; turn < 50; turn++) {
      const list = createListDefinitions(client, tables, { maxPages: 1, now: () => turn * 5_000 });
      const { ids, definitions, isComplete } = await list();
      expect(isComplete).toBe(false);
      expect(definitions.map(({ id }) => id)).toEqual(ids);
      for (const id of ids) seen.add(id);
      counts.add(ids.length);
    }
    expect(Math.min(...counts)).toBeLessThan(7);
    expect([...seen].sort()).toEqual([...'abcdefg']);
  });

  test('that cannot be read are a store error', async () => {
    const { client, tables } = await openDatabase();
    const list = createListDefinitions(client, { ...tables, workflows: 'none-workflows' });
    await expect(list()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});
