import { DeleteItemCommand, GetItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import pLimit from 'p-limit';
import { purgeWorkflow } from '../../../lib/adapters/dynamodb/health/purge-workflow.ts';
import { createWorkflowStore } from '../../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { createListUsers } from '../../../lib/adapters/dynamodb/workflows/workflow-uses.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import type { Used } from '../../../lib/workflows/definition/uses.ts';
import { useMeteredDatabases } from '../../support/a-metered-client.ts';
import { aTrigger, aWorkflow } from '../../support/a-workflow.ts';

const openDatabase = useMeteredDatabases();

const NOW = 1_700_000_000_000;

const toSign = { signature: { scheme: 'github', credentialId: 'signer' } };
const nodes: Readonly<Record<string, WorkflowDefinition['nodes']>> = {
  caller: [
    aTrigger(),
    { id: 'call', type: 'httpRequest', parameters: { url: 'https://a.example' }, credentialId: 'crm' },
  ],
  disabled: [aTrigger(), { id: 'off', type: 'noOp', parameters: {}, credentialId: 'crm', disabled: true }],
  signed: [aTrigger(toSign)],
  parent: [aTrigger(), { id: 'run', type: 'subworkflow', parameters: { workflowId: 'child' } }],
  watcher: [{ id: 'failed', type: 'errorTrigger', parameters: { workflows: ['child', 'other'] } }],
  regional: [aTrigger(), { id: 'set', type: 'set', parameters: { values: { a: '{{ $vars.region }}' } } }],
  computing: [
    aTrigger(),
    { id: 'set', type: 'set', parameters: { values: { a: '{{ $lookup($vars, body.name) }}' } } },
  ],
  plain: [aTrigger()],
};

const aStage = async () => {
  const { client, metered, tables, sdk, count } = await openDatabase();
  let now = NOW;
  const clock = { now: () => now++ };
  const store = createWorkflowStore(client, tables, clock);
  const ofMetered = createListUsers(metered, tables, createWorkflowStore(metered, tables, clock));
  const put = (id: string, changes: Partial<WorkflowDefinition> = {}) =>
    store.put(aWorkflow({ id, connections: [], ...changes }), []);
  const putAll = async () => {
    for (const [id, own] of Object.entries(nodes)) await put(id, { nodes: own });
    await put('measured', { settings: { metrics: true } });
  };
  const usersOf = async (kind: Used['kind'], ...names: readonly string[]) =>
    (await ofMetered({ kind, names })).map(({ id }) => id);
  const costOf = async (kind: Used['kind'], ...names: readonly string[]) => {
    const { reads, writes, readUnits } = await count(() => usersOf(kind, ...names));
    return { reads, writes, readUnits };
  };
  const keyOf = (id: string) => ({ name: { S: `uses:${id}` } });
  const TableName = tables.settings;
  const findNote = async (id: string) =>
    (await sdk.send(new GetItemCommand({ TableName, Key: keyOf(id) }))).Item;
  const forget = (id: string) => sdk.send(new DeleteItemCommand({ TableName, Key: keyOf(id) }));
  const restore = (Item: Awaited<ReturnType<typeof findNote>>) =>
    sdk.send(new PutItemCommand({ TableName, Item }));
  const noted = async () =>
    ((await sdk.send(new ScanCommand({ TableName }))).Items ?? []).map(({ name }) => name?.S).sort();
  return { client, tables, store, put, putAll, usersOf, costOf, findNote, forget, restore, noted };
};

describe('the users of something', () => {
  test.each<readonly [Used['kind'], readonly string[], readonly string[]]>([
    ['credentials', ['crm'], ['caller', 'disabled']],
    ['credentials', ['signer'], ['signed']],
    ['workflows', ['child'], ['parent', 'watcher']],
    ['workflows', ['other'], ['watcher']],
    ['variables', ['region'], ['computing', 'regional']],
    ['variables', ['unread'], ['computing']],
    ['nodeTypes', ['httpRequest', 'errorTrigger'], ['caller', 'watcher']],
    ['settings', ['metrics'], ['measured']],
    ['credentials', ['none'], []],
    ['variables', [], []],
  ])('are found by kind: %s %j', async (kind, names, users) => {
    const { store, putAll, usersOf, forget } = await aStage();
    await putAll();
    expect(await usersOf(kind, ...names)).toEqual(users);
    for (const { id } of await store.list()) await forget(id); // as an earlier release stored them
    expect(await usersOf(kind, ...names)).toEqual(users);
    expect(await usersOf(kind, ...names)).toEqual(users);
  });

  test.each([20, 120])(
    'cost two narrow reads and their own definitions, among %i workflows',
    async (size) => {
      const { put, costOf } = await aStage();
      const description = 'x'.repeat(8_000);
      await pLimit(10).map(
        Array.from({ length: size }, (_, at) => at),
        (at) => put(`w-${at}`, { description }),
      );
      await put('caller', { description, nodes: nodes.caller ?? [] });
      const { reads, writes, readUnits } = await costOf('credentials', 'crm');
      expect({ reads, writes }).toEqual({ reads: 3, writes: 0 });
      expect(readUnits).toBeLessThan(2 + size / 16); // all definitions: a unit each
      expect((await costOf('credentials', 'none')).reads).toBe(2);
    },
  );

  test('are found by their definitions where a note is missing or of another version, and noted then', async () => {
    const { put, usersOf, costOf, findNote, forget, restore } = await aStage();
    await put('shop', { nodes: nodes.plain ?? [] });
    const former = await findNote('shop');
    await put('shop', { nodes: nodes.caller ?? [] });
    await restore(former);
    expect(await usersOf('credentials', 'crm')).toEqual(['shop']);
    expect(await findNote('shop')).not.toEqual(former);
    await forget('shop');
    expect(await costOf('credentials', 'none')).toMatchObject({ reads: 3, writes: 1 });
    expect(await costOf('credentials', 'none')).toMatchObject({ reads: 2, writes: 0 });
    // Tables that were restored to a time before may have another version of the same number.
    const { updatedAt, ...note } = (await findNote('shop')) ?? {};
    await restore({ ...note, updatedAt: { S: '2020-01-01T00:00:00.000Z' }, uses: former?.uses ?? { S: '' } });
    expect(await usersOf('credentials', 'crm')).toEqual(['shop']);
  });

  test('end with the batch that has enough', async () => {
    const { client, tables, store, put } = await aStage();
    await pLimit(10).map(
      Array.from({ length: 150 }, (_, at) => at),
      (at) => put(`w-${at}`),
    );
    const listUsers = createListUsers(client, tables, store);
    const used = { kind: 'nodeTypes', names: ['webhookTrigger'] } as const;
    expect(await listUsers(used, 100)).toHaveLength(100);
    expect(await listUsers(used)).toHaveLength(150);
  });
});

test('the note of a removed or purged workflow is removed', async () => {
  const { client, tables, store, put, usersOf, noted } = await aStage();
  for (const id of ['one', 'two', 'three']) await put(id, { nodes: nodes.caller ?? [] });
  await store.remove('one');
  await purgeWorkflow('two', client, tables);
  expect(await noted()).toEqual(['uses:three']);
  expect(await usersOf('credentials', 'crm')).toEqual(['three']);
});

test('a workflow is stored even if its note fails', async () => {
  const { client, tables, usersOf, noted } = await aStage();
  const putItem: typeof client.putItem = async (input) => {
    if (input.TableName === tables.settings)
      throw Object.assign(new Error('busy'), { name: 'ThrottlingException' });
    return client.putItem(input);
  };
  const store = createWorkflowStore({ ...client, putItem }, tables, { now: () => NOW });
  const workflow = aWorkflow({ id: 'shop', nodes: nodes.caller ?? [], connections: [] });
  expect(await store.put(workflow, [])).toEqual({ version: 1, changed: true });
  expect(await noted()).toEqual([]);
  expect(await usersOf('credentials', 'crm')).toEqual(['shop']);
  expect(await noted()).toEqual(['uses:shop']);
});
