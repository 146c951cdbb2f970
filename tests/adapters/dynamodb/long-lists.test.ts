import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createBulkRetryStore } from '../../../lib/adapters/dynamodb/executions/bulk-retry-store.ts';
import { createWorkflowStore } from '../../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { aBulkRetry } from '../../support/a-bulk-retry.ts';
import { aWorkflow } from '../../support/a-workflow.ts';
import { useTestDatabases } from '../../support/test-database.ts';

// DynamoDB ends each page of a query at 1 MB of stored items, whatever the query leaves out of them.

const openDatabase = useTestDatabases();

const aLongHistory = async (count: number, bytes: number) => {
  const { client, tables } = await openDatabase();
  const store = createWorkflowStore(client, tables, { now: Date.now });
  for (let version = 1; version <= count; version++)
    await store.put(aWorkflow({ id: 'orders', name: `${version}`, description: 'x'.repeat(bytes) }), []);
  const list = async (before: number | null, limit: number) => {
    const { versions, next } = await store.listVersions('orders', before, limit);
    return { numbers: versions.map(({ version }) => version), next };
  };
  return list;
};

const downFrom = (from: number, to = 1) => Array.from({ length: from - to + 1 }, (_, at) => from - at);

test('a list has every version, whatever their size', async () => {
  const list = await aLongHistory(30, 60_000);
  expect(await list(null, 50)).toEqual({ numbers: downFrom(30), next: null });
  expect(await list(null, 29)).toEqual({ numbers: downFrom(30, 2), next: 2 });
  expect(await list(30, 29)).toEqual({ numbers: downFrom(29), next: null });
});

test('a list of more than 8 MB of versions ends early, says so, and is continued', async () => {
  const list = await aLongHistory(34, 340_000);
  const found: number[] = [];
  const pages: number[] = [];
  for (let next: number | null = null, isDone = false; !isDone; isDone = next === null) {
    const page = await list(next, 100);
    found.push(...page.numbers);
    pages.push(page.numbers.length);
    next = page.next;
  }
  expect(found).toEqual(downFrom(34));
  expect(pages).toHaveLength(2);
});

test('a list has every bulk retry, however many retries were refused', async () => {
  const { client, tables } = await openDatabase();
  const store = createBulkRetryStore(client, tables, { retentionDays: 30, clock: { now: Date.now } });
  const ids = Array.from({ length: 8 }, (_, at) => `20261125T04360012${at}-a1b2c3d4`);
  const reason = randomBytes(150_000).toString('base64');
  for (const bulkRetryId of ids)
    await store.create(aBulkRetry({ bulkRetryId, refused: [{ executionId: 'e', reason }] }), []);
  const { bulkRetries, next } = await store.list(8, null);
  expect([bulkRetries.map(({ bulkRetryId }) => bulkRetryId), next]).toEqual([ids.toReversed(), null]);
});
