import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type ListParts,
  type ListQuery,
  listExecutions,
} from '../../../lib/executions/lifecycle/list-executions.ts';
import { EXECUTION_STATUSES, type ExecutionStatus } from '../../../lib/executions/record/execution-status.ts';
import type { ExecutionSummary, ListPosition } from '../../../lib/executions/record/execution-store.ts';

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

/** The order of a store: that of equal starts is not by id. */
const latestFirst = (a: ListPosition, b: ListPosition): number =>
  b.startedAt - a.startedAt || compare(hash(a.executionId), hash(b.executionId));

const hash = (id: string): string => createHash('sha256').update(id).digest('hex');

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** A store of these; a page ends after `reach` of a workflow's executions, matching or not, like the real one does. */
const aStore = (all: readonly ExecutionSummary[], reach = Number.POSITIVE_INFINITY) => {
  let atOnce = 0;
  let most = 0;
  const list: ListParts['executions']['list'] = async ({ workflowId, statuses, from, to, limit, after }) => {
    most = Math.max(most, ++atOnce);
    await Promise.resolve();
    atOnce--;
    const following = all
      .filter((one) => one.workflowId === workflowId)
      .filter((one) => one.startedAt >= (from ?? 0) && one.startedAt <= (to ?? one.startedAt))
      .sort(latestFirst)
      .filter((one) => after === undefined || latestFirst(after, one) < 0);
    const read = following.slice(0, reach);
    const found = read.filter(({ status }) => statuses?.includes(status) !== false);
    const executions = found.slice(0, limit);
    const last = found.length > limit ? executions.at(-1) : following.length > reach ? read.at(-1) : null;
    return { executions, next: last ?? null };
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
    status: fc.constantFrom(...EXECUTION_STATUSES),
    startedAt: fc.integer({ min: 0, max: 3 }),
  }),
  { maxLength: 40, selector: ({ executionId }) => executionId },
);

const byId = (a: ExecutionSummary, b: ExecutionSummary): number => compare(a.executionId, b.executionId);

describe('a list of executions', () => {
  test('of all workflows has each once, the latest first, however its pages are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        someExecutions,
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 12 }),
        fc.subarray([...EXECUTION_STATUSES]),
        fc.option(fc.integer({ min: 0, max: 3 })),
        fc.option(fc.integer({ min: 0, max: 3 })),
        async (made, limit, reach, status, from, to) => {
          fc.pre(from === null || to === null || from <= to);
          const all = made.map(aSummary);
          const found = await readAll(aQuery({ limit, status, from, to }), aStore(all, reach).parts);
          const expected = all
            .filter((one) => status.length === 0 || status.includes(one.status))
            .filter(({ startedAt }) => startedAt >= (from ?? 0) && startedAt <= (to ?? 3));
          expect(found.toSorted(byId)).toEqual(expected.toSorted(byId));
          const starts = found.map(({ startedAt }) => startedAt);
          expect(starts).toEqual(starts.toSorted((a, b) => b - a));
        },
      ),
    );
  });

  test('of every status at once is the list without a filter', async () => {
    const all = EXECUTION_STATUSES.map((status, at) => aSummary({ executionId: `e-${at}`, status }));
    const { parts } = aStore(all, 2);
    const query = aQuery({ limit: 2 });
    const pages = async (status: readonly ExecutionStatus[]) =>
      (await readAll({ ...query, status: [...status] }, parts)).map(({ executionId }) => executionId);
    expect(await pages(EXECUTION_STATUSES)).toEqual(await pages([]));
  });

  test('goes on from where the store has read to, also when it has found nothing', async () => {
    const all = [10, 9, 8].map((startedAt) => aSummary({ executionId: `e-${startedAt}`, startedAt }));
    const rare = aSummary({ status: 'failed', startedAt: 1 });
    const { parts } = aStore([...all, rare], 3);
    const query = aQuery({ status: ['failed'] });
    const first = await listExecutions(query, parts);
    expect(first).toEqual({ executions: [], nextCursor: expect.any(String) });
    expect(await listExecutions({ ...query, cursor: first.nextCursor }, parts)).toEqual({
      executions: [rare],
      nextCursor: null,
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
    ['without an id', spoil(([time, , hash, name]) => [time, '', hash, name])],
    ['with an id that none can be', spoil(([time, , hash, name]) => [time, 'a/b', hash, name])],
    ['with a time that no date has', spoil(([, id, hash, name]) => [9e15, id, hash, name])],
    ['with a time before time', spoil(([, id, hash, name]) => [-1, id, hash, name])],
    ['with a time in the middle of a millisecond', spoil(([, id, hash, name]) => [1.5, id, hash, name])],
    ['with a time outside of the list', spoil(([, id, hash, name]) => [11, id, hash, name])],
    ['with another hash', spoil(([time, id, , name]) => [time, id, 'x', name])],
    ['without the part of the list', spoil(([time, id, hash]) => [time, id, hash])],
  ])('that is %s is refused', async (_what, make) => {
    await expect(listExecutions({ ...query, cursor: await make() }, parts)).rejects.toMatchObject({
      code: 'QUERY_INVALID',
      message: expect.stringContaining('cursor'),
    });
  });
});
