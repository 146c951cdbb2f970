import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type ListParts,
  type ListQuery,
  listExecutions,
} from '../../../lib/executions/lifecycle/list-executions.ts';
import type { ExecutionStatus } from '../../../lib/executions/record/execution-status.ts';
import type { ExecutionPage, ExecutionSummary } from '../../../lib/executions/record/execution-store.ts';

const aSummary = (changes: Partial<ExecutionSummary> = {}): ExecutionSummary => ({
  executionId: 'e-1',
  workflowId: 'orders',
  workflowVersion: 1,
  mode: 'durable',
  status: 'succeeded',
  startedAt: 1_000,
  endedAt: 2_000,
  held: null,
  ...changes,
});

const aQuery = (changes: Partial<ListQuery> = {}): ListQuery => ({
  workflowId: null,
  status: [],
  request: null,
  from: null,
  to: null,
  limit: 25,
  cursor: null,
  ...changes,
});

const latestFirst = (a: ExecutionSummary, b: ExecutionSummary): number =>
  b.startedAt - a.startedAt || compare(b.executionId, a.executionId);

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** A store of these; a page ends after `reach` of a workflow's executions, matching or not, like the real one does. */
const aStore = (all: readonly ExecutionSummary[], reach = Number.POSITIVE_INFINITY) => {
  let atOnce = 0;
  let most = 0;
  const list: ListParts['executions']['list'] = async ({ workflowId, status, from, to, limit, after }) => {
    most = Math.max(most, ++atOnce);
    await Promise.resolve();
    atOnce--;
    const following = all
      .filter((one) => one.workflowId === workflowId)
      .filter((one) => one.startedAt >= (from ?? 0) && one.startedAt <= (to ?? one.startedAt))
      .sort(latestFirst)
      .filter((one) => after === undefined || latestFirst({ ...one, ...after }, one) < 0);
    const found = following.slice(0, reach).filter((one) => one.status === (status ?? one.status));
    const page: ExecutionPage = {
      executions: found.slice(0, limit),
      hasMore: found.length > limit || following.length > reach,
    };
    return page;
  };
  const listWorkflowIds = async () => [...new Set(all.map(({ workflowId }) => workflowId))];
  return { parts: { executions: { list }, listWorkflowIds }, most: () => most };
};

/** All pages, one after the other. */
const readAll = async (query: ListQuery, parts: ListParts): Promise<ExecutionSummary[]> => {
  const found: ExecutionSummary[] = [];
  let cursor: string | null = null;
  do {
    const page = await listExecutions({ ...query, cursor }, parts);
    expect(page.executions.length).toBeLessThanOrEqual(query.limit);
    found.push(...page.executions);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
};

const someExecutions = fc.uniqueArray(
  fc.record({
    executionId: fc.integer({ min: 0, max: 60 }).map((number) => `e-${number}`),
    workflowId: fc.constantFrom('a', 'b', 'c'),
    status: fc.constantFrom<ExecutionStatus>('succeeded', 'failed', 'waiting'),
    startedAt: fc.integer({ min: 0, max: 20 }),
  }),
  { maxLength: 40, selector: ({ executionId }) => executionId },
);

describe('a list of executions', () => {
  test('of all workflows has each once, the latest first, however its pages are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        someExecutions,
        fc.integer({ min: 1, max: 8 }),
        fc.subarray<ExecutionStatus>(['succeeded', 'failed', 'waiting']),
        async (made, limit, statuses) => {
          const all = made.map(aSummary);
          const found = await readAll(aQuery({ limit, status: statuses }), aStore(all).parts);
          const expected = all
            .filter(({ status }) => statuses.length === 0 || statuses.includes(status))
            .sort(latestFirst);
          expect(found).toEqual(expected);
        },
      ),
    );
  });

  test('leaves nothing out when the store reads no further than to the last match of a rare status', async () => {
    const rare = (workflowId: string, startedAt: number): ExecutionSummary =>
      aSummary({ executionId: `${workflowId}-${startedAt}`, workflowId, startedAt, status: 'failed' });
    const common = (workflowId: string, startedAt: number): ExecutionSummary => ({
      ...rare(workflowId, startedAt),
      status: 'succeeded',
    });
    // The store sees two of a at once: the failure at 5 is behind what it has read when it gives the one at 9.
    const all = [rare('a', 9), common('a', 8), rare('a', 5), rare('b', 7), rare('b', 3)];
    const { parts } = aStore(all, 2);
    const first = await listExecutions(aQuery({ status: ['failed'], limit: 3 }), parts);
    expect(first.executions.map(({ startedAt }) => startedAt)).toEqual([9]);
    const found = await readAll(aQuery({ status: ['failed'], limit: 3 }), parts);
    expect(found.map(({ startedAt }) => startedAt)).toEqual([9, 7, 5, 3]);
  });

  test('says that a status is too rare, rather than that there are none', async () => {
    const all = [10, 9, 8].map((startedAt) => aSummary({ executionId: `e-${startedAt}`, startedAt }));
    const { parts } = aStore([...all, aSummary({ status: 'failed', startedAt: 1 })], 3);
    await expect(listExecutions(aQuery({ status: ['failed'] }), parts)).rejects.toMatchObject({
      code: 'QUERY_INVALID',
      message: expect.stringContaining('say since when, with from'),
    });
  });

  test('reads no more than ten lists at once', async () => {
    const all = Array.from({ length: 50 }, (_, number) =>
      aSummary({ executionId: `e-${number}`, workflowId: `w-${number}` }),
    );
    const { parts, most } = aStore(all);
    expect((await listExecutions(aQuery({ limit: 100 }), parts)).executions).toHaveLength(50);
    expect(most()).toBe(10);
  });

  test('of no workflows is empty', async () => {
    expect(await listExecutions(aQuery(), aStore([]).parts)).toEqual({ executions: [], nextCursor: null });
  });

  test('with a start after its end is rejected', async () => {
    await expect(listExecutions(aQuery({ from: 2, to: 1 }), aStore([]).parts)).rejects.toMatchObject({
      code: 'QUERY_INVALID',
      message: expect.stringContaining('from is later than to'),
    });
  });
});

describe('a cursor', () => {
  const all = [1, 2, 3].map((startedAt) => aSummary({ executionId: `e-${startedAt}`, startedAt }));
  const { parts } = aStore(all);
  const query = aQuery({ workflowId: 'orders', status: ['succeeded', 'failed'], to: 10, limit: 1 });
  const aCursor = async () => (await listExecutions(query, parts)).nextCursor ?? '';
  const spoil = (change: (values: unknown[]) => unknown) => async () => {
    const values: unknown[] = JSON.parse(Buffer.from(await aCursor(), 'base64url').toString());
    return Buffer.from(JSON.stringify(change(values))).toString('base64url');
  };

  test('goes on where the page ended, with another limit and the statuses in another order', async () => {
    const changed = aQuery({ ...query, status: ['failed', 'succeeded'], limit: 100 });
    const page = await listExecutions({ ...changed, cursor: await aCursor() }, parts);
    expect(page.executions.map(({ executionId }) => executionId)).toEqual(['e-2', 'e-1']);
    expect(page.nextCursor).toBeNull();
  });

  test('can be sent in a query as it is', async () => {
    expect(await aCursor()).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  test.each<[string, Partial<ListQuery>]>([
    ['workflow', { workflowId: null }],
    ['status', { status: ['succeeded'] }],
    ['acquireLease', { from: 1 }],
    ['end', { to: 11 }],
  ])('of a list with another %s is refused', async (_what, changes) => {
    await expect(
      listExecutions({ ...query, ...changes, cursor: await aCursor() }, parts),
    ).rejects.toMatchObject({
      code: 'QUERY_INVALID',
      message: expect.stringContaining('cursor is that of a list with other parameters'),
    });
  });

  test.each<[string, () => Promise<string>]>([
    ['nothing', async () => ''],
    ['no base64', async () => '%%%'],
    ['no JSON', async () => 'abc'],
    ['no list', spoil(() => ({}))],
    ['cut short', async () => (await aCursor()).slice(0, -9)],
    ['without an id', spoil(([time, , hash]) => [time, '', hash])],
    ['with an id that none can be', spoil(([time, , hash]) => [time, 'a/b', hash])],
    ['with a time that no date has', spoil(([, id, hash]) => [9e15, id, hash])],
    ['with a time before time', spoil(([, id, hash]) => [-1, id, hash])],
    ['with a time in the middle of a millisecond', spoil(([, id, hash]) => [1.5, id, hash])],
    ['with a time outside of the list', spoil(([, id, hash]) => [11, id, hash])],
    ['with another hash', spoil(([time, id]) => [time, id, 'x'])],
  ])('that is %s is refused', async (_what, make) => {
    await expect(listExecutions({ ...query, cursor: await make() }, parts)).rejects.toMatchObject({
      code: 'QUERY_INVALID',
      message: expect.stringContaining('cursor'),
    });
  });
});
