import { DeleteTableCommand, GetItemCommand, waitUntilTableNotExists } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { TABLE_WAITING } from 'lambda-stage/database';
import { OLDEST_VERSION, SCHEMA_VERSION } from '../../../lib/adapters/dynamodb/schema/schema.ts';
import {
  checkStoredData,
  createListIndexes,
} from '../../../lib/adapters/dynamodb/stored-data/check-stored-data.ts';
import {
  noteStageVersions,
  readStageVersions,
  writeStageVersions,
} from '../../../lib/adapters/dynamodb/stored-data/stage-versions.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const openDatabase = useTestDatabases();

const aStage = async () => {
  const { client, sdk, tables } = await openDatabase();
  const listIndexes = createListIndexes(sdk);
  return { client, sdk, tables, listIndexes, check: () => checkStoredData({ client, tables, listIndexes }) };
};

describe('what a stage holds', () => {
  test('a new stage has no problems, before and after a version is noted', async () => {
    const { check, client, tables } = await aStage();
    expect(await check()).toEqual([]);
    await noteStageVersions(client, tables, { isNew: true });
    expect(await check()).toEqual([]);
  });

  test('a missing table, and an index that is missing or being built, are reported', async () => {
    const { check, client, sdk, tables, listIndexes } = await aStage();
    await sdk.send(new DeleteTableCommand({ TableName: tables.requests }));
    await waitUntilTableNotExists({ client: sdk, ...TABLE_WAITING }, { TableName: tables.requests });
    expect(await check()).toEqual([
      expect.objectContaining({ problem: 'There is no table test-requests.', lacks: 'table' }),
    ]);
    const without = async (table: string) =>
      (await listIndexes(table))?.filter((name) => name !== 'bySweep') ?? [];
    expect(await checkStoredData({ client, tables, listIndexes: without })).toEqual([
      expect.objectContaining({
        problem: expect.stringContaining('test-executions lacks the index bySweep'),
        remedy: expect.stringContaining('add what serverless.yml defines'),
        lacks: 'index',
      }),
    ]);
  });

  test.each([
    [{ oldest: SCHEMA_VERSION, newest: SCHEMA_VERSION + 1 }, /^A later release has stored data in version 5/],
    [{ oldest: OLDEST_VERSION - 1, newest: SCHEMA_VERSION }, /^There may be data in version 1/],
  ])('versions that this release does not read are reported: %j', async (versions, problem) => {
    const { check, client, tables } = await aStage();
    await writeStageVersions(client, tables, versions);
    expect(await check()).toEqual([
      { problem: expect.stringMatching(problem), remedy: expect.stringMatching(/release/) },
    ]);
    expect(await noteStageVersions(client, tables, { isNew: false })).toEqual(versions);
    expect(await readStageVersions(client, tables)).toEqual(versions);
  });

  test('the version that is written is noted once, and the oldest one stays', async () => {
    const { client, sdk, tables } = await aStage();
    expect(await readStageVersions(client, tables)).toBeNull();
    expect(await noteStageVersions(client, tables, { isNew: false })).toEqual({ oldest: 2, newest: 4 });
    expect(await noteStageVersions(client, tables, { isNew: true })).toEqual({ oldest: 2, newest: 4 });
    const Key = { executionId: { S: 'stored data' } };
    const { Item } = await sdk.send(new GetItemCommand({ TableName: tables.executions, Key }));
    expect(Item).toEqual({ ...Key, oldest: { N: '2' }, newest: { N: '4' } });
  });

  test('a new stage holds only the current version', async () => {
    const { client, tables } = await aStage();
    expect(await noteStageVersions(client, tables, { isNew: true })).toEqual({ oldest: 4, newest: 4 });
  });
});
