import { expect, test } from '@jest/globals';
import { createSettingsStore } from '../../lib/adapters/dynamodb/settings-store.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { openSweep } from '../../lib/app/compose/background.ts';
import { openDispatch, openEventFunction, openRunWorkflow } from '../../lib/app/compose/triggers.ts';
import { readConfig } from '../../lib/app/config.ts';
import type { WorkflowReader } from '../../lib/workflows/definition/workflow-store.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { startRecordingProxy } from '../support/a-recording-proxy.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';
import { environmentOf } from '../support/function-environment.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();

type Open = (config: ReturnType<typeof readConfig>) => { readonly workflows: Pick<WorkflowReader, 'find'> };

/** A function that starts a workflow which reads a variable, and how often it reads the settings. */
const aFunction = async (key: Parameters<typeof environmentOf>[0], open: Open, cacheSeconds: number) => {
  const { client, tables, endpoint } = await openDatabase();
  const settings = createSettingsStore(client, tables);
  const proxy = await startRecordingProxy(endpoint);
  const environment = environmentOf(key, {
    DYNAMODB_ENDPOINT: proxy.endpoint,
    WORKFLOW_CACHE_SECONDS: String(cacheSeconds),
  });
  Object.assign(process.env, environment); // where the signer reads credentials
  const { workflows } = open(readConfig(environment));
  const nodes = [aTrigger(), { id: 'set', type: 'set', parameters: { values: { a: '{{ $vars.region }}' } } }];
  await createWorkflowStore(client, tables, { now: () => 1_700_000_000_000 }).put(
    aWorkflow({ id: 'shop', nodes }),
    [],
  );
  let revision = 0;
  const set = (value: string) =>
    settings.put('variables', {
      content: [
        {
          name: 'region',
          type: 'string',
          value,
          description: null,
          changedAt: '',
          changedBy: null,
          revision: 1,
        },
      ],
      revision: ++revision,
    });
  const start = async () => (await workflows.find('shop'))?.variables;
  const reads = () => proxy.calls.filter(({ table }) => table === tables.settings).length;
  return { set, start, reads, stop: proxy.stop };
};

const MANY: readonly (readonly [Parameters<typeof environmentOf>[0], Open])[] = [
  ['dispatch', (config) => openDispatch(installedPlugins, config)],
  ['sweep', openSweep],
];

test.each(MANY)('all starts by %s read the variables once, as requests do', async (key, open) => {
  const { set, start, reads, stop } = await aFunction(key, open, 3_600);
  await set('eu');
  expect(await Promise.all([start(), start(), start()])).toEqual(Array(3).fill({ region: 'eu' }));
  await set('us');
  expect(await start()).toEqual({ region: 'eu' });
  expect(reads()).toBe(1);
  await stop();
});

test.each<readonly [string, Parameters<typeof aFunction>]>([
  ['without a cache', ['dispatch', (config) => openEventFunction(installedPlugins, config), 0]],
  ['by a person', ['adminRunWorkflow', (config) => openRunWorkflow(installedPlugins, config), 3_600]],
])('a start %s sees a change at once', async (_title, options) => {
  const { set, start, reads, stop } = await aFunction(...options);
  await set('eu');
  expect(await start()).toEqual({ region: 'eu' });
  await set('us');
  expect(await start()).toEqual({ region: 'us' });
  expect(reads()).toBe(2);
  await stop();
});
