import { randomBytes } from 'node:crypto';
import { BatchWriteItemCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Context } from 'aws-lambda';
import { createExecutionStore } from '../../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createHeldQueues } from '../../../lib/adapters/dynamodb/held/held-queues.ts';
import { createJsonClient } from '../../../lib/adapters/dynamodb/json-client.ts';
import { createSlotStore } from '../../../lib/adapters/dynamodb/limits/slot-store.ts';
import { createRequestStore } from '../../../lib/adapters/dynamodb/requests/request-store.ts';
import { createSdk } from '../../../lib/adapters/dynamodb/sdk-client.ts';
import { tableNames } from '../../../lib/adapters/dynamodb/table-names.ts';
import { createWorkflowStore } from '../../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { systemClock } from '../../../lib/adapters/runtime/system-clock.ts';
import { createListApprovals } from '../../../lib/app/approvals-handler.ts';
import { openApprovals, openExecutions, openHealth } from '../../../lib/app/compose/admin.ts';
import { openRegistrations } from '../../../lib/app/compose/triggers.ts';
import { readConfig } from '../../../lib/app/config.ts';
import { createListExecutions } from '../../../lib/app/executions-handlers.ts';
import { createExpressFunction } from '../../../lib/app/express-handler.ts';
import { createHealthRoutes } from '../../../lib/app/health-handler.ts';
import { createSweepFunction } from '../../../lib/app/sweep-handler.ts';
import { createRegistrationsFunction } from '../../../lib/app/triggers/registrations-handler.ts';
import { createWebhookFunction } from '../../../lib/app/webhook-handler.ts';
import { toStart } from '../../../lib/executions/lifecycle/new-execution.ts';
import type { ExecutionStart } from '../../../lib/executions/record/execution-store.ts';
import { putWorkflow } from '../../../lib/registrations/put-workflow.ts';
import { createTakeSlot } from '../../../lib/webhooks/limits/take-slot.ts';
import { passedPlace } from '../../../lib/webhooks/requests/request-record.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { toPathConfigs } from '../../../lib/workflows/definition/to-path-configs.ts';
import { startSources } from '../../../local/sources/start-sources.ts';
import type { Metered } from '../../../tests/support/a-metered-dynamodb.ts';
import { aRequestRecord } from '../../../tests/support/a-request-record.ts';
import { anEvent } from '../../../tests/support/an-api-event.ts';
import type { Item } from '../../../tests/support/dynamodb-units.ts';
import { environmentOf } from '../../../tests/support/function-environment.ts';
import { AWS_LIMITS } from '../../../tests/support/unit-limits.ts';
import {
  createEnvironment,
  createEvent,
  openService,
  order,
  tablePrefix,
  toChain,
} from '../bench-service.ts';
import { printTable } from '../measure.ts';
import { startCountingDatabase } from './count-units.ts';
import { countUnits } from './writes.ts';

const RUNS = 3;
const DEFINITION_BYTES = 2_000;
const ENDS_IN_DAYS = 30;

/** A workflow of about 2 kB with a schedule and a paused webhook. */
const aWorkflow = (id: string): WorkflowDefinition => ({
  id,
  name: id,
  enabled: true,
  nodes: [
    { id: 'clock', type: 'scheduleTrigger', parameters: { rate: '1 hour' } },
    { id: 'hook', type: 'webhookTrigger', parameters: { paused: 'store' } },
    { id: 'set', type: 'set', parameters: { values: { text: 'x'.repeat(DEFINITION_BYTES - 500) } } },
  ],
  connections: [
    { sourceNodeId: 'clock', targetNodeId: 'set' },
    { sourceNodeId: 'hook', targetNodeId: 'set' },
  ],
});

const openStage = async () => {
  const database = await startCountingDatabase();
  const sources = await startSources({ file: null, pool: { invoke: async () => null }, log: () => {} });
  const configOf = (functionKey: string) => {
    const local = { DYNAMODB_ENDPOINT: database.endpoint, SOURCES_ENDPOINT: sources.endpoint };
    const environment = environmentOf(functionKey, local, tablePrefix);
    Object.assign(process.env, createEnvironment(functionKey, database.endpoint));
    return readConfig(environment);
  };
  const client = createJsonClient({ region: 'local', endpoint: database.uncountedEndpoint });
  const sdk = createSdk(database.uncountedEndpoint);
  const tables = tableNames(tablePrefix);
  const options = { retentionDays: ENDS_IN_DAYS, clock: systemClock };
  const executions = createExecutionStore(client, tables, options);
  const workflows = createWorkflowStore(client, tables, systemClock);

  const startOf = async (
    workflowId: string,
    executionId: string,
    given: Partial<ExecutionStart>,
  ): Promise<ExecutionStart> => {
    const workflow = await workflows.find(workflowId);
    if (workflow === null) throw new Error(`there is no workflow ${workflowId}`);
    const execution = {
      ...{ executionId, workflow, traceparent: null, keepsResult: false },
      trigger: { nodeId: 'hook', type: 'webhookTrigger' },
    };
    const accepted = { mode: 'express', status: 'accepted', input: 'j{}', callbackKey: null } as const;
    const options = { ...accepted, startedAt: Date.now(), startToken: executionId };
    return { ...toStart(execution, options), ...given };
  };

  return {
    ...{ database, configOf, client, sdk, tables, executions, workflows, startOf },
    /** Counts the calls and units of an action. */
    count: async (work: () => Promise<unknown>): Promise<Metered> => {
      database.take();
      await work();
      return database.take();
    },
    /** Puts items into a table without the service, modelled on one that the service has put. */
    putAll: async (table: string, items: readonly Item[]) => {
      for (let at = 0; at < items.length; at += 25) {
        const puts = items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } }));
        await sdk.send(new BatchWriteItemCommand({ RequestItems: { [table]: puts } }));
      }
    },
    stop: async () => {
      sdk.destroy();
      await sources.stop();
      await database.stop();
    },
  };
};

type Stage = Awaited<ReturnType<typeof openStage>>;

const ask = async (handle: (event: never, context: Context) => Promise<unknown>, query: object) => {
  const rawQueryString = new URLSearchParams(query as Record<string, string>).toString();
  const event = { ...anEvent({ path: '/api/admin/x' }), queryStringParameters: query, rawQueryString };
  const answer = (await handle(event as never, { getRemainingTimeInMillis: () => 60_000 } as Context)) as {
    readonly statusCode: number;
    readonly body: string;
  };
  if (answer.statusCode !== 200 && answer.statusCode !== 503) throw new Error(answer.body);
};

/** Calls and units of each page, put, sweep and report for a number of workflows. */
const countPages = async (count: number): Promise<[string, Metered][]> => {
  const stage = await openStage();
  const { configOf, workflows, executions, startOf } = stage;
  const ids = Array.from({ length: count }, (_, at) => `workflow-${String(at).padStart(6, '0')}`);
  for (const [at, id] of ids.entries()) {
    const definition = aWorkflow(id);
    await workflows.put(definition, toPathConfigs(definition));
    for (let run = 0; run < RUNS; run++) {
      const startedAt = Date.now() - at * 1_000 - run;
      const start = await startOf(id, `${id}-${run}`, { mode: 'inline', status: 'running', startedAt });
      const end = { status: 'succeeded', endedAt: startedAt, nodes: [], failure: null } as const;
      await executions.startAndFinish(start, { ...end, isInOutbox: false });
    }
  }
  const rows: [string, Metered][] = [];
  const add = async (title: string, work: () => Promise<unknown>) => {
    rows.push([title, await stage.count(work)]);
  };
  const list = createListExecutions(openExecutions(configOf('adminExecutions')));
  const registrations = openRegistrations(configOf('sweepRegistrations'));
  const sweepRegistrations = createRegistrationsFunction(registrations);
  const sweep = createSweepFunction({
    ...openService(stage.database.endpoint).sweep,
    dispatcher: { dispatch: async () => {} },
    noteVersions: async () => null,
  });

  await add(`executions of all, limit 25, ${RUNS} runs each`, () => ask(list, { limit: '25' }));
  await add('… status=failed, none', () => ask(list, { status: 'failed' }));
  await add('… failed,timedOut,cancelled', () => ask(list, { status: 'failed,timedOut,cancelled' }));
  await add('… status=running, none', () => ask(list, { status: 'running' }));
  const approvals = createListApprovals(openApprovals(configOf('adminApprovals')));
  await add('approvals of all, none', () => ask(approvals, {}));
  const counted = createJsonClient({ region: 'local', endpoint: stage.database.endpoint });
  await add('workflow list', () => createWorkflowStore(counted, stage.tables, systemClock).list());
  await sweepRegistrations({}); // registers them
  await add('sweep of registrations', () => sweepRegistrations({}));
  const definition = toChain('put', 'onReceived', []);
  await add('put of a workflow without triggers that register', async () =>
    putWorkflow(definition, await registrations.loadNodeTypes(['webhookTrigger']), registrations),
  );
  await add('health', () => ask(createHealthRoutes(openHealth(configOf('adminHealth'))), {}));
  await add('sweep, nothing due', () => sweep({}));
  for (const id of ids)
    await executions.start(await startOf(id, `${id}-due`, { startedAt: Date.now() - 1_200_000 }));
  await add('sweep, one accepted execution due each', () => sweep({}));
  for (const id of ids) await executions.start(await startOf(id, `${id}-held`, { held: 'paused' }));
  await sweep({ only: 'held' }); // finds that all are paused
  await add('sweep of held, a paused queue each', () => sweep({ only: 'held' }));
  await stage.stop();
  return rows;
};

const format = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

export const benchPages = async (counts: readonly number[]): Promise<void> => {
  const measured: [string, Metered][][] = [];
  for (const count of counts) measured.push(await countPages(count));
  const [first = []] = measured;
  printTable(
    'Calls / units as a function of the number of workflows N (definitions of 2 kB); a row that grows with N is a page or sweep that grows',
    ['', ...counts.map((count) => `N = ${format(count)}`)],
    first.map(([title], row) => [
      title,
      ...measured.map((rows) => {
        const [, { reads, writes, readUnits, writeUnits }] = rows[row] as [string, Metered];
        return `${format(reads + writes)} / ${format(readUnits + writeUnits)}`;
      }),
    ]),
  );
};

/** Resources whose partition key is shared by runs of a workflow or a stage. */
const isShared = (resource: string, key: string): boolean =>
  resource.includes('/') ||
  resource === 'requests' ||
  resource.startsWith('workflow') ||
  /^(slots|bucket|held):/.test(key);

interface HotKey {
  readonly title: string;
  readonly resource: string;
  readonly units: number;
  readonly access: 'Read' | 'Write';
}

const toRows = (title: string, { keys }: Metered): HotKey[] =>
  keys
    .filter(({ resource, key }) => isShared(resource, key))
    .flatMap(({ resource, key, readUnits, writeUnits }) => {
      const name = `${resource}[${key.replace(/[\da-f]{8}-[\w-]+/, 'ID')}]`;
      return [
        { title, resource: name, units: writeUnits, access: 'Write' as const },
        { title, resource: name, units: readUnits, access: 'Read' as const },
      ].filter(({ units }) => units > 0);
    });

/** What a run and a second run in the same sandbox read, for a definition of a given size. */
const countDefinitionReads = async (kilobytes: number): Promise<HotKey[]> => {
  const stage = await openStage();
  const text = 'x'.repeat(kilobytes * 1_024 - 500);
  const definition: WorkflowDefinition = {
    ...toChain('large', 'onReceived', [{ type: 'set', parameters: { values: { text } } }]),
    settings: { execution: 'express' },
  };
  await stage.workflows.put(definition, toPathConfigs(definition));
  const { webhook, runs } = openService(stage.database.endpoint);
  const dispatched: string[] = [];
  const dispatcher = { dispatch: async (executionId: string) => void dispatched.push(executionId) };
  const accept = createWebhookFunction({ ...webhook, dispatcher });
  const run = createExpressFunction(runs);
  const found: HotKey[] = [];
  for (const title of ['first run of a sandbox', 'next run']) {
    await accept(createEvent('large', JSON.stringify(order)), {} as Context);
    const executionId = dispatched.pop() ?? '';
    const counted = await stage.count(() => run({ executionId }, { awsRequestId: executionId }));
    const rows = toRows(`express, definition of ${kilobytes} kB, ${title}`, counted).filter(({ resource }) =>
      resource.startsWith('workflow'),
    );
    const none = { title: `… ${title}`, resource: 'workflows[large]', units: 0, access: 'Read' } as const;
    found.push(...(rows.length > 0 ? rows : [none]));
  }
  await stage.stop();
  return found;
};

const countLimits = async (): Promise<HotKey[]> => {
  const stage = await openStage();
  const client = createJsonClient({ region: 'local', endpoint: stage.database.endpoint });
  const found: HotKey[] = [];
  for (const max of [5, 50, 100]) {
    const takeSlot = createTakeSlot({
      slots: createSlotStore(client, stage.tables),
      executions: stage.executions,
      clock: systemClock,
      knownMs: 60_000,
    });
    const take = (at: number) =>
      takeSlot({ workflowId: `of-${max}`, executionId: `${max}-${'0'.repeat(31)}${at}`, max });
    for (let at = 0; at < max - 1; at++) await take(at);
    found.push(...toRows(`concurrency ${max}: the last place`, await stage.count(() => take(max - 1))));
    found.push(...toRows(`concurrency ${max}: refused`, await stage.count(() => take(max))));
  }
  const options = { retentionDays: 7, clock: systemClock };
  for (const body of [450, 4_800].map((bytes) => randomBytes(bytes).toString('base64')))
    found.push(
      ...toRows(
        `recorded request, ${body.length} bytes kept`,
        await stage.count(() =>
          createRequestStore(client, stage.tables, options).put(
            aRequestRecord({ body, place: passedPlace(Date.now(), String(body.length)) }),
          ),
        ),
      ),
    );
  found.push(...(await countWaiting(stage)));
  await stage.stop();
  return found;
};

/** What `onLimit: queue` reads to count at each request. */
const countWaiting = async (stage: Stage): Promise<HotKey[]> => {
  const definition = aWorkflow('queue');
  await stage.workflows.put(definition, toPathConfigs(definition));
  await stage.executions.start(await stage.startOf('queue', 'held-0', { held: 'concurrency' }));
  const TableName = stage.tables.executions;
  const find = async (executionId: string) => {
    const Key = { executionId: { S: executionId } };
    return (await stage.sdk.send(new GetItemCommand({ TableName, Key }))).Item ?? {};
  };
  const [template, inUse] = [await find('held-0'), await find('held:queue/hook')];
  const queue = { workflowId: 'queue', triggerNodeId: 'hook' };
  const client = createJsonClient({ region: 'local', endpoint: stage.database.endpoint });
  const queues = createHeldQueues(client, stage.tables, { retentionDays: ENDS_IN_DAYS });
  const found: HotKey[] = [];
  let stored = 1;
  for (const waiting of [1_000, 5_000, 12_000]) {
    const items = Array.from({ length: waiting - stored }, (_, at) => ({
      ...template,
      executionId: { S: `held-${String(stored + at).padStart(38, '0')}` },
      sweepShard: { S: (stored + at + 1) % 2 === 0 ? 'held:queue/hook' : 'held1:queue/hook' },
      sweepAt: { S: template.sweepAt?.S?.replace(/\d+$/, String(stored + at + 1).padStart(12, '0')) ?? '' },
    }));
    await stage.putAll(TableName, [...items, { ...inUse, places: { N: String(waiting) } }]);
    stored = waiting;
    let count = 0;
    const counted = await stage.count(async () => {
      count = (await queues.measure(queue)).waiting;
    });
    const title = `onLimit queue, ${format(waiting)} waiting: counts ${format(count)}`;
    found.push(...toRows(title, counted));
    const maxPlace = waiting + 1;
    const entered = await stage.count(() => queues.enter(queue, { now: Date.now(), maxPlace }));
    found.push(...toRows('… and enters', entered));
  }
  return found;
};

export const benchHotKeys = async (): Promise<void> => {
  const found = (await countUnits()).flatMap(({ title, withBus }) =>
    toRows(`${title} (with an event bus)`, withBus),
  );
  for (const kilobytes of [4, 24, 40, 100, 340]) found.push(...(await countDefinitionReads(kilobytes)));
  found.push(...(await countLimits()));
  printTable(
    "Partition keys that runs share: units of one run, and the rate at which AWS's limit of a partition throttles",
    ['', 'key', 'units', '', 'throttles at'],
    found.map(({ title, resource, units, access }) => [
      title,
      resource,
      format(units),
      access === 'Read' ? 'RU' : 'WU',
      units === 0 ? 'never' : `${format(Math.floor(AWS_LIMITS.key[access] / units))}/s`,
    ]),
  );
};
