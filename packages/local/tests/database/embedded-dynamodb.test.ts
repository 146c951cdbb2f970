import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import dynalite from 'dynalite';
import { AT_ONCE, watchChanges, withStore } from 'lambda-stage/database';
import { startInternalServer } from 'lambda-stage/net';
import { SCHEMA_VERSION } from '../../../../lib/adapters/dynamodb/schema/schema.ts';
import { createSdk, createSdkClient } from '../../../../lib/adapters/dynamodb/sdk-client.ts';
import { readStageVersions } from '../../../../lib/adapters/dynamodb/stored-data/stage-versions.ts';
import { tableNames } from '../../../../lib/adapters/dynamodb/table-names.ts';
import { projectEnvironment, projectRoot } from '../../../../tests/support/run-command.ts';
import { startEmbeddedDynamoDb } from '../../database/embedded-dynamodb.ts';
import { readTableDefinitions } from '../../database/tables.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-tables-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = async (tablePrefix: string) => {
  const { endpoint, stop } = await startEmbeddedDynamoDb(tablePrefix, folder);
  const client = createSdk(endpoint);
  return {
    client,
    stop: async () => {
      client.destroy();
      await stop();
    },
  };
};

/** Creates the tables in a process of its own, and kills that while they are `CREATING`. */
const interruptCreation = async (tablePrefix: string) => {
  const script = `
    import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
    import dynalite from 'dynalite';
    import { startInternalServer } from 'lambda-stage/net';
    import { createSdk } from './lib/adapters/dynamodb/sdk-client.ts';
    import { readTableDefinitions } from './packages/local/database/tables.ts';
    const server = dynalite({ createTableMs: 3_600_000, path: ${JSON.stringify(folder)} });
    const client = createSdk((await startInternalServer(server)).endpoint);
    for (const definition of readTableDefinitions('${tablePrefix}')) await client.send(new CreateTableCommand(definition));
    console.log('created');`;
  const child = spawn('node', ['--input-type=module', '-e', script], {
    cwd: projectRoot,
    env: projectEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exit]);
  child.kill('SIGKILL');
  await exit;
};

test('tables whose creation was interrupted are created again, and the others keep their items', async () => {
  const key = { TableName: 'old-workflows', Key: { workflowId: { S: 'orders' } } };
  const before = await open('old');
  await before.client.send(new PutItemCommand({ TableName: key.TableName, Item: key.Key }));
  await before.stop();
  await interruptCreation('new');

  const after = await open('new');
  const scans = readTableDefinitions('new').map(({ TableName }) =>
    after.client.send(new ScanCommand({ TableName })),
  );
  const items = (await Promise.all(scans)).flatMap(({ Items = [] }) => Items);
  expect(items).toEqual([expect.objectContaining({ executionId: { S: 'stored data' } })]);
  expect((await after.client.send(new GetItemCommand(key))).Item).toEqual(key.Key);
  await after.stop();
});

test('the data of a new service has the version of this release, so that no list says that entries may be missing', async () => {
  const { endpoint, stop } = await startEmbeddedDynamoDb('new', undefined, {
    tables: [],
    onChange: () => {},
  });
  const client = createSdk(endpoint);
  try {
    const versions = await readStageVersions(createSdkClient(client), tableNames('new'));
    expect(versions).toEqual({ oldest: SCHEMA_VERSION, newest: SCHEMA_VERSION });
  } finally {
    client.destroy();
    await stop();
  }
});

test('a write that arrives while the database stops is dropped, since dynalite would end the process', async () => {
  const [server, store] = withStore(() => dynalite(AT_ONCE));
  const changes: unknown[] = [];
  watchChanges(store, ['orders'], (...change) => void changes.push(change));
  const { stop } = await startInternalServer(server);
  await stop();
  let isDone = false;
  const items = store.getItemDb('orders');
  items.put('a', { id: { S: 'A-1' } }, () => {
    isDone = true;
  });
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect([isDone, changes]).toEqual([false, []]);
});
