import { describe, expect, test } from '@jest/globals';
import pLimit from 'p-limit';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createFindLastExecutions } from '../../lib/adapters/dynamodb/executions/last-executions.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { parseFields } from '../../lib/shared/query-fields.ts';
import { listWorkflows, workflowQuery } from '../../lib/triggers/list-workflows.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { useMeteredDatabases } from '../support/a-metered-client.ts';
import { anExecutionEnd, anExecutionStart } from '../support/a-start.ts';
import { aWorkflow } from '../support/a-workflow.ts';

const openDatabase = useMeteredDatabases();

const NOW = 1_700_000_000_000;
const DAY_MS = 86_400_000;

const idOf = (at: number): string => `w-${String(at).padStart(3, '0')}`;

const aStage = async () => {
  const { client, metered, tables, count } = await openDatabase();
  let now = NOW;
  const clock = { now: () => now };
  const open = (own: typeof client) => {
    const executions = createExecutionStore(own, tables, { retentionDays: 30, clock });
    const workflows = createWorkflowStore(own, tables, clock);
    return {
      executions,
      workflows,
      findLastExecutions: createFindLastExecutions(own, tables, executions, clock),
    };
  };
  const { executions, workflows } = open(client);
  const counted = open(metered);
  const put = (id: string, changes: Partial<WorkflowDefinition> = {}) =>
    workflows.put(aWorkflow({ id, ...changes }), []);
  const run = (
    executionId: string,
    workflowId: string,
    changes: Parameters<typeof anExecutionStart>[0] = {},
  ) =>
    executions.start(
      anExecutionStart({ executionId, workflowId, startToken: executionId, input: null, ...changes }),
    );
  const list = (query: Readonly<Record<string, string>>) =>
    listWorkflows(parseFields(workflowQuery, query), {
      ...counted,
      findNodeType: () => null,
      baseUrl: 'https://api.example.com',
    });
  const lastOf = async (query: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(
      (await list(query)).workflows.map(({ id, lastExecution }) => [id, lastExecution?.executionId ?? null]),
    );
  const pass = (ms: number) => {
    now += ms;
  };
  return { executions, put, run, list, lastOf, count, pass };
};

describe('a page of workflows', () => {
  test.each([10, 100])('of %i costs a query for each and three other calls', async (size) => {
    const { put, run, lastOf, count } = await aStage();
    await pLimit(10).map(
      Array.from({ length: size }, (_, at) => idOf(at)),
      async (id) => {
        await put(id);
        await run(`first-${id}`, id);
        await run(`last-${id}`, id, { startedAt: NOW + 1 });
      },
    );
    let found = {};
    const { reads, readUnits } = await count(async () => {
      found = await lastOf({ limit: String(size) });
    });
    expect(Object.entries(found)).toHaveLength(size);
    expect(found).toMatchObject({ [idOf(size - 1)]: `last-${idOf(size - 1)}` });
    expect(reads).toBe(size + 3);
    expect(readUnits).toBeLessThan(size * 2 + 3);
  });

  test('that a tag selects reads a hundred definitions at once', async () => {
    const { put, list, count } = await aStage();
    await pLimit(10).map(
      Array.from({ length: 120 }, (_, at) => at),
      (at) => put(idOf(at), { tags: at % 40 === 39 ? ['rare'] : [] }),
    );
    const pages: (readonly string[])[] = [];
    let cursor: string | null = null;
    const { reads } = await count(async () => {
      do {
        const page = await list({ tag: 'rare', limit: '1', ...(cursor === null ? {} : { cursor }) });
        pages.push(page.workflows.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
    });
    expect(pages).toEqual([[idOf(39)], [idOf(79)], [idOf(119)]]);
    expect(reads).toBe(9); // each page: the list, a batch of definitions, and one query
  });
});

describe('the last execution of a workflow', () => {
  test('is found in all partitions if it is or was of high volume', async () => {
    const { put, run, lastOf } = await aStage();
    await put('now', { settings: { highVolume: true } });
    await put('once', { settings: { highVolume: true } });
    await put('once');
    for (const id of ['now', 'once'])
      for (let at = 0; at < 20; at++)
        await run(`${id}-${at}`, id, { isHighVolume: true, startedAt: NOW + at });
    expect(await lastOf()).toEqual({ now: 'now-19', once: 'once-19' });
    await run('once-20', 'once', { startedAt: NOW + 20 });
    expect(await lastOf()).toEqual({ now: 'now-19', once: 'once-20' });
  });

  test('is not a trial, and not one that has expired', async () => {
    const { executions, put, run, lastOf, pass } = await aStage();
    await put('orders');
    await run('long', 'orders');
    await run('short', 'orders', { startedAt: NOW + 1 });
    await run('tried', 'orders', { workflowVersion: 0, startedAt: NOW + 2 });
    await executions.finish('short', anExecutionEnd());
    expect(await lastOf()).toEqual({ orders: 'short' });
    pass(31 * DAY_MS);
    expect(await lastOf()).toEqual({ orders: 'long' });
    await put('idle');
    expect(await lastOf()).toEqual({ idle: null, orders: 'long' });
  });
});
