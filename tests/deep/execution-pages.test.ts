import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import pLimit from 'p-limit';
import type { DynamoDbClient } from '../../lib/adapters/dynamodb/client.ts';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import { keyedListQuery, listExecutions } from '../../lib/executions/lifecycle/list-executions.ts';
import { EXECUTION_STATUSES, isFinal } from '../../lib/executions/record/execution-store.ts';
import { parseFields } from '../../lib/shared/query-fields.ts';
import { aLease, anExecutionEnd, anExecutionStart } from '../support/a-start.ts';
import { cases } from '../support/deep.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();

const NOW = 1_700_000_000_000;
const clock = { now: () => NOW };
const WORKFLOWS = ['orders', 'shop'];
const COUNT = 210;

/** Executions of two workflows, of all statuses, that have started at four times: each hundredth is `cancelled`. */
const fill = async (count = COUNT) => {
  const { client, tables } = await openDatabase();
  const store = createExecutionStore(client, tables, { retentionDays: 30, clock });
  const common = EXECUTION_STATUSES.filter((status) => status !== 'cancelled');
  const made = Array.from({ length: count }, (_, at) => ({
    executionId: `e-${at}`,
    workflowId: at % 2 === 0 ? 'orders' : 'shop',
    startedAt: NOW - 10 + (at % 4),
    status: at % 100 === 0 ? ('cancelled' as const) : (common[at % common.length] ?? 'accepted'),
  }));
  const limit = pLimit(10);
  await Promise.all(
    made.map(({ status, ...start }) =>
      limit(async () => {
        const { executionId } = start;
        const isHighVolume = start.workflowId === 'shop' ? ({ isHighVolume: true } as const) : {};
        await store.start(
          anExecutionStart({ ...start, ...isHighVolume, input: null, startToken: executionId }),
        );
        if (isFinal(status)) await store.finish(executionId, anExecutionEnd({ status }));
        else if (status !== 'accepted') await store.acquireLease(executionId, aLease());
        if (status === 'waiting')
          await store.saveProgress(executionId, { status, nodes: [], leaseExpiresAt: NOW });
      }),
    ),
  );
  return { client, tables, store, made };
};

/** The ids of all pages. */
const readPages = async (
  query: Readonly<Record<string, string>>,
  parts: Parameters<typeof listExecutions>[1],
): Promise<string[]> => {
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const fields: Record<string, string> = cursor === null ? { ...query } : { ...query, cursor };
    const page = await listExecutions(parseFields(keyedListQuery, fields), parts);
    found.push(...page.executions.map(({ executionId }) => executionId));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
};

describe('the pages of a list of executions', () => {
  test('have each execution once, however many started at the same time', async () => {
    const { store: executions, made } = await fill();
    const time = fc.option(fc.integer({ min: NOW - 10, max: NOW - 7 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 100 }),
        fc.subarray([...EXECUTION_STATUSES]),
        fc.option(fc.constantFrom(...WORKFLOWS), { nil: undefined }),
        time,
        time,
        async (limit, statuses, workflowId, from = NOW - 10, to = NOW) => {
          fc.pre(from <= to);
          const query = {
            limit: String(limit),
            from: String(from),
            to: String(to),
            ...(statuses.length === 0 ? {} : { status: statuses.join(',') }),
            ...(workflowId === undefined ? {} : { workflowId }),
          };
          const expected = made.filter(
            (one) =>
              (statuses.length === 0 || statuses.includes(one.status)) &&
              (workflowId ?? one.workflowId) === one.workflowId &&
              one.startedAt >= from &&
              one.startedAt <= to,
          );
          const found = await readPages(query, { executions, holdsUnlisted: async () => false });
          expect(found.toSorted()).toEqual(expected.map(({ executionId }) => executionId).toSorted());
          // Open ones of all workflows are in the order of their next sweep.
          if (workflowId === undefined && statuses.length > 0 && !statuses.some(isFinal)) return;
          const startOf = new Map(made.map(({ executionId, startedAt }) => [executionId, startedAt]));
          const starts = found.map((id) => startOf.get(id) ?? 0);
          expect(starts).toEqual(starts.toSorted((a, b) => b - a));
        },
      ),
      { numRuns: cases(150, 1_000) },
    );
  });

  test('have a hundred entries when more than a hundred match', async () => {
    const { store, made } = await fill();
    const page = await store.list({ workflowId: 'orders', limit: 100 });
    expect(page.executions).toHaveLength(100);
    const rest = await store.list({
      workflowId: 'orders',
      limit: 100,
      ...(page.next && { after: page.next }),
    });
    expect(rest).toMatchObject({ next: null });
    expect(page.executions.length + rest.executions.length).toBe(made.length / 2);
  });

  test('include the records that the store leaves for another call', async () => {
    const { client, tables, made } = await fill();
    const sizes: number[] = [];
    /** Leaves all but seven keys of a call unprocessed. */
    const batchGetItem: DynamoDbClient['batchGetItem'] = async ({ RequestItems = {} }) => {
      const [[table, request] = ['', { Keys: [] }]] = Object.entries(RequestItems);
      const { Keys = [] } = request;
      sizes.push(Keys.length);
      const { Responses = {} } = await client.batchGetItem({
        RequestItems: { [table]: { ...request, Keys: Keys.slice(0, 7) } },
      });
      return { Responses, UnprocessedKeys: { [table]: { ...request, Keys: Keys.slice(7) } } };
    };
    const store = createExecutionStore({ ...client, batchGetItem }, tables, { retentionDays: 30, clock });
    const { executions } = await store.list({ workflowId: 'orders', limit: 100 });
    expect(new Set(executions.map(({ executionId }) => executionId)).size).toBe(100);
    expect(executions).toHaveLength(Math.min(100, made.length / 2));
    expect(Math.max(...sizes)).toBe(100);
  });
});
