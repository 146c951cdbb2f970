import { describe, expect, test } from '@jest/globals';
import {
  type ListPorts,
  type ListQuery,
  listExecutions,
} from '../../../lib/executions/lifecycle/list-executions.ts';
import type { ExecutionSummary } from '../../../lib/executions/record/execution-store.ts';

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
  trial: null,
  request: null,
  failureNode: null,
  failureName: null,
  bulkRetryId: null,
  from: null,
  to: null,
  limit: 25,
  cursor: null,
  ...changes,
});

/** A store of these: the latest first. */
const aStore = (all: readonly ExecutionSummary[], isUpgraded = false): ListPorts => {
  const list: ListPorts['executions']['list'] = async ({ workflowId, statuses, limit, after }) => {
    const following = all
      .filter((one) => (workflowId ?? one.workflowId) === one.workflowId)
      .filter(({ status }) => statuses?.includes(status) !== false)
      .sort((a, b) => b.startedAt - a.startedAt)
      .filter(({ startedAt }) => after === undefined || startedAt < Number(after.at));
    const executions = following.slice(0, limit);
    const last = following.length > limit ? executions.at(-1) : undefined;
    const { startedAt = 0, executionId = '' } = last ?? {};
    return {
      executions,
      next: last === undefined ? null : { part: 'all', at: String(startedAt), executionId },
    };
  };
  return { executions: { list }, holdsUnlisted: async () => isUpgraded };
};

describe('a list of executions', () => {
  test('of all workflows says if it lacks what was stored before an upgrade', async () => {
    const list = (workflowId: string | null) => listExecutions(aQuery({ workflowId }), aStore([], true));
    expect(await list(null)).toMatchObject({ omitsEarlier: true });
    expect(await list('orders')).not.toHaveProperty('omitsEarlier');
  });

  test('of no workflows is empty', async () => {
    expect(await listExecutions(aQuery(), aStore([]))).toEqual({ executions: [], nextCursor: null });
  });

  test('asks the store for what the query names, and for nothing else', async () => {
    const asked: unknown[] = [];
    const list: ListPorts['executions']['list'] = async (query) => {
      asked.push(query);
      return { executions: [], next: null };
    };
    const parts = { executions: { list }, holdsUnlisted: async () => false };
    await listExecutions(aQuery(), parts);
    await listExecutions(aQuery({ workflowId: 'orders', status: ['failed'], request: 'r-1' }), parts);
    await listExecutions(aQuery({ failureName: 'Timeout', bulkRetryId: 'b-1' }), parts);
    await listExecutions(aQuery({ trial: 'true' }), parts);
    await listExecutions(aQuery({ trial: 'false' }), parts);
    await listExecutions(aQuery({ from: 5 }), parts);
    await listExecutions(aQuery({ to: 7 }), parts);
    await listExecutions(aQuery({ from: 7, to: 7 }), parts);
    const all = { workflowId: null, limit: 25 };
    expect(asked).toEqual([
      all,
      { workflowId: 'orders', limit: 25, statuses: ['failed'], requestId: 'r-1' },
      { ...all, failure: { failureNode: null, failureName: 'Timeout' }, bulkRetryId: 'b-1' },
      { ...all, isTrial: true },
      { ...all, isTrial: false },
      { ...all, from: 5 },
      { ...all, to: 7 },
      { ...all, from: 7, to: 7 },
    ]);
  });

  test('with a start after its end is rejected', async () => {
    await expect(listExecutions(aQuery({ from: 2, to: 1 }), aStore([]))).rejects.toMatchObject({
      code: 'QUERY_INVALID',
      message: expect.stringContaining('from must not be later than to'),
    });
  });
});

describe('a cursor', () => {
  const all = [1, 2, 3].map((startedAt) => aSummary({ executionId: `e-${startedAt}`, startedAt }));
  const parts = aStore(all);
  const query = aQuery({ workflowId: 'orders', status: ['succeeded', 'failed'], to: 10, limit: 1 });
  const aCursor = async () => (await listExecutions(query, parts)).nextCursor ?? '';
  const spoil = (change: (values: unknown[]) => unknown) => async () => {
    const values: unknown[] = JSON.parse(Buffer.from(await aCursor(), 'base64url').toString());
    return Buffer.from(JSON.stringify(change(values))).toString('base64url');
  };

  test('continues where the page ended, with another limit and the statuses in another order', async () => {
    const changed = aQuery({ ...query, status: ['failed', 'succeeded'], limit: 100 });
    const page = await listExecutions({ ...changed, cursor: await aCursor() }, parts);
    expect(page.executions.map(({ executionId }) => executionId)).toEqual(['e-2', 'e-1']);
    expect(page.nextCursor).toBeNull();
  });

  test('can be sent in a query unescaped', async () => {
    expect(await aCursor()).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  test.each<[string, Partial<ListQuery>]>([
    ['workflow', { workflowId: null }],
    ['status', { status: ['succeeded'] }],
    ['start', { from: 1 }],
    ['end', { to: 11 }],
    ['request', { request: 'r-1' }],
    ['failure', { failureName: 'HttpStatusError' }],
    ['node of the failure', { failureNode: 'fetch' }],
    ['bulk retry', { bulkRetryId: 'b-1' }],
    ['kind of executions', { trial: 'true' }],
  ])('of a list with another %s is refused', async (_what, changes) => {
    await expect(
      listExecutions({ ...query, ...changes, cursor: await aCursor() }, parts),
    ).rejects.toMatchObject({
      code: 'QUERY_INVALID',
      message: expect.stringContaining('cursor belongs to a list with other parameters'),
    });
  });

  test.each<[string, () => Promise<string>]>([
    ['nothing', async () => ''],
    ['no base64', async () => '%%%'],
    ['no JSON', async () => 'abc'],
    ['no list', spoil(() => ({}))],
    ['cut short', async () => (await aCursor()).slice(0, -9)],
    ['without an id', spoil(([at, , hash, part]) => [at, '', hash, part])],
    ['with an id that none can be', spoil(([at, , hash, part]) => [at, 'a b', hash, part])],
    ['with an id that is too long', spoil(([at, , hash, part]) => [at, 'a'.repeat(301), hash, part])],
    ['with a place that is not text', spoil(([, id, hash, part]) => [9e15, id, hash, part])],
    ['with another hash', spoil(([at, id, , part]) => [at, id, 'x', part])],
    ['without the part of the list', spoil(([at, id, hash]) => [at, id, hash])],
  ])('that is %s is refused', async (_what, make) => {
    await expect(listExecutions({ ...query, cursor: await make() }, parts)).rejects.toMatchObject({
      code: 'QUERY_INVALID',
      message: expect.stringContaining('cursor'),
    });
  });
});
