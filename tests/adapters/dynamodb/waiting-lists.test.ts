import { expect, test } from '@jest/globals';
import pLimit from 'p-limit';
import { createExecutionStore } from '../../../lib/adapters/dynamodb/executions/execution-store.ts';
import type { ListPosition } from '../../../lib/executions/record/execution-store.ts';
import { useMeteredDatabases } from '../../support/a-metered-client.ts';
import { anExecutionEnd, anExecutionStart } from '../../support/a-start.ts';

const openDatabase = useMeteredDatabases();

const NOW = 1_700_000_000_000;

const aStage = async () => {
  const { client, metered, tables, count } = await openDatabase();
  const options = { retentionDays: 30, clock: { now: () => NOW } };
  const store = createExecutionStore(client, tables, options);
  const counted = createExecutionStore(metered, tables, options);
  const limit = pLimit(20);
  const become = {
    accepted: async () => true,
    waiting: (id: string) =>
      store.saveProgress(id, { status: 'waiting', nodes: [], leaseExpiresAt: NOW + 1_000_000 }),
    ended: (id: string) => store.finish(id, anExecutionEnd()),
  };
  /** Stores executions of a workflow that started at these times: `orders-waiting-0`. */
  const add = (workflowId: string, status: keyof typeof become, times: readonly number[]) =>
    limit.map(times, async (at, index) => {
      const executionId = `${workflowId}-${status}-${index}`;
      const one = { executionId, startToken: executionId, workflowId, startedAt: NOW + at };
      await store.start(anExecutionStart({ ...one, input: null }));
      await become[status](executionId);
    });
  /** The pages of the waiting executions of `orders`. */
  const list = async (limit: number, betweenPages = async () => {}) => {
    const pages: (readonly string[])[] = [];
    let after: ListPosition | null = null;
    do {
      if (after !== null) await betweenPages();
      const { executions, next } = await counted.list({
        workflowId: 'orders',
        statuses: ['waiting'],
        limit,
        ...(after === null ? {} : { after }),
      });
      pages.push(executions.map(({ executionId }) => executionId));
      after = next;
    } while (after !== null);
    return pages;
  };
  return { add, list, count };
};

const times = (count: number) => Array.from({ length: count }, (_, at) => at);

test('the waiting executions of one workflow cost the same, however many have ended', async () => {
  const { add, list, count } = await aStage();
  await add('orders', 'waiting', [1, 3, 3, 2]);
  await add('orders', 'accepted', times(3));
  await add('other', 'waiting', times(3));
  const pages = [['orders-waiting-1', 'orders-waiting-2', 'orders-waiting-3', 'orders-waiting-0']];
  const listed = async () => expect(await list(100)).toEqual(pages);
  // A query for each partition of the open ones, and a batch of records.
  const cost = { reads: 65, readUnits: 37 };
  expect(await count(listed)).toMatchObject(cost);
  await add('orders', 'ended', times(1_100));
  expect(await count(listed)).toMatchObject(cost);
});

test('pages of them continue each other, also when more are open than one call reads', async () => {
  const { add, list } = await aStage();
  await add('orders', 'waiting', [5, 5, 5, 5, 6, 4]);
  const [all = []] = await list(100);
  expect(all).toHaveLength(6);
  expect((await list(2)).map((page) => page.length)).toEqual([2, 2, 2]);
  expect((await list(2)).flat()).toEqual(all);
  let isMany = false;
  const pages = await list(3, async () => {
    if (!isMany) await add('other', 'accepted', times(1_100));
    isMany = true;
  });
  expect(pages.flat().toSorted()).toEqual(all.toSorted());
  expect(pages[0]).toEqual(all.slice(0, 3));
});
