import { expect, test } from '@jest/globals';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { openRuns } from '../../lib/app/compose/background.ts';
import { readConfig } from '../../lib/app/config.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { startRecordingProxy } from '../support/a-recording-proxy.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { environmentOf } from '../support/function-environment.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();

test('background runs in a sandbox read a workflow version once', async () => {
  const { client, tables, endpoint } = await openDatabase();
  const proxy = await startRecordingProxy(endpoint);
  const environment = environmentOf('runExpress', { DYNAMODB_ENDPOINT: proxy.endpoint });
  Object.assign(process.env, environment); // where the signer reads credentials
  const { workflows } = openRuns(installedPlugins, readConfig(environment));
  const stored = createWorkflowStore(client, tables, { now: () => 1_700_000_000_000 });
  await stored.put(aWorkflow({ id: 'shop', name: 'First' }), []);
  await stored.put(aWorkflow({ id: 'shop', name: 'Second' }), []);

  const read = (version: number) => workflows.findVersion('shop', version);
  await Promise.all([read(2), read(2), read(2)]);
  const first = await Promise.all([read(1), read(1)]);
  await Promise.all([read(1), read(2), read(1)]);
  expect(first[0]?.definition.name).toBe('First');
  expect(proxy.calls.map(({ table }) => table)).toEqual([
    'test-workflows',
    'test-workflows', // which has the current one alone
    'test-workflow-versions',
  ]);

  expect(await read(3)).toBeNull();
  await stored.put(aWorkflow({ id: 'shop', name: 'Third' }), []);
  expect((await read(3))?.definition.name).toBe('Third');
  await proxy.stop();
});
