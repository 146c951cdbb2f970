import type { JsonObject } from '@hookloom/plugin-kit';
import { afterEach, expect, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { createStreams } from 'lambda-stage/sources';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { createAggregate } from '../../lib/app/aggregate.ts';
import { openAggregate } from '../../lib/app/compose/background.ts';
import { openWebhook } from '../../lib/app/compose/webhook.ts';
import { readConfig } from '../../lib/app/config.ts';
import { createWebhookFunction } from '../../lib/app/webhook-handler.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { startEmbeddedDynamoDb } from '../../packages/local/database/embedded-dynamodb.ts';
import { readServiceFile } from '../../packages/local/functions/service-file.ts';
import { aLocalServer } from '../support/a-local-server.ts';
import { aJsonEvent } from '../support/a-webhook-event.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';
import { anAdminApi } from '../support/an-admin-api.ts';
import { environmentOf } from '../support/function-environment.ts';
import { projectRoot } from '../support/run-command.ts';

const AUTHOR = 'arn:aws:sts::123456789012:assumed-role/authors/ada';
const EVENTS = '/2015-03-31/functions/hookloom-dev-dispatch/invocations';

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Keeps what is written to standard output: the log. */
const keepLog = () => {
  const { stdout } = process;
  const { write } = stdout;
  const lines: string[] = [];
  stdout.write = ((text: string) => lines.push(...String(text).trim().split('\n')) > 0) as typeof write;
  cleanups.push(() => {
    stdout.write = write;
  });
  return () =>
    lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Record<string, unknown>);
};

/**
 * The webhook function and the admin API on a database whose streams are counted, with a workflow `orders` whose node
 * `buy` calls a target, and an error trigger that asks for its failures. The target fails with a body of `{ fails: true }`.
 */
const aService = async () => {
  const entries = keepLog();
  const target = await aLocalServer({
    '/buy': ({ body }, response) => void response.writeHead(body.includes('true') ? 400 : 200).end('{}'),
  });
  const lambda = await aLocalServer({ [EVENTS]: (_request, response) => void response.writeHead(202).end() });
  const ready = Promise.withResolvers<ReturnType<typeof createAggregate>>();
  const streams = createStreams({
    mappings: readServiceFile(projectRoot)
      .streams.filter(({ functionKey }) => functionKey === 'aggregate')
      .map((one) => ({ ...one, table: one.table.replace('hookloom-dev', 'test') })),
    invoke: async (_functionKey, event) => (await ready.promise)(event),
    log: () => {},
  });
  const database = await startEmbeddedDynamoDb('test', undefined, {
    tables: Object.values(tableNames('test')),
    onChange: streams.onChange,
  });
  cleanups.push(
    () => database.stop(),
    () => streams.stop(),
    () => target.close(),
    () => lambda.close(),
  );
  const values = {
    DYNAMODB_ENDPOINT: database.endpoint,
    SOURCES_ENDPOINT: database.endpoint,
    AWS_ENDPOINT_URL_LAMBDA: lambda.origin,
    BLOB_FOLDER: '/nonexistent',
    OUTBOUND_ALLOW: `127.0.0.1:${target.port}`,
    WORKFLOW_CACHE_SECONDS: '0',
    LOG_LEVEL: 'info',
  };
  ready.resolve(createAggregate(openAggregate(readConfig(environmentOf('aggregate', values)))));
  const ask = anAdminApi(values);
  const webhook = createWebhookFunction(
    openWebhook(installedPlugins, readConfig(environmentOf('webhook', values))),
  );

  const url = `${target.origin}/buy`;
  const buy = {
    id: 'buy',
    type: 'httpRequest',
    parameters: { url, method: 'POST', body: { fails: '{{ body.fails }}' }, idempotencyKey: true },
  };
  const definition = aWorkflow({
    id: 'orders',
    nodes: [aTrigger({ path: '/in', responseMode: 'lastNode' }), buy],
    connections: [{ sourceNodeId: 'request', targetNodeId: 'buy' }],
  });
  const failures = { id: 'failure', type: 'errorTrigger', parameters: { workflows: ['orders'] } };
  const put = async (one: { readonly id: string }) =>
    expect(await ask('PUT', `/api/admin/workflows/${one.id}`, { body: one })).toMatchObject({ status: 201 });
  await put(definition);
  await put(aWorkflow({ id: 'on-failure', nodes: [failures], connections: [] }));
  return {
    ask,
    entries,
    /** A trial of `buy`. */
    try: async (body: JsonObject): Promise<JsonObject> => {
      const trial = { definition, nodeId: 'buy', input: { body } };
      return (await ask('POST', '/api/admin/workflows/try', { body: trial, caller: AUTHOR })).body;
    },
    /** A real execution. @returns its id */
    run: async (body: JsonObject): Promise<string> => {
      const event = aJsonEvent(body, { workflowId: 'orders', path: 'in' });
      const { headers } = await webhook(event as never, {} as Context);
      return String(headers?.['hookloom-execution-id']);
    },
    /** Ids of the executions whose failures are reported. */
    reported: () => lambda.received.map(({ body }) => JSON.parse(body).hookloom.failed),
    keys: () => target.received.map(({ headers }) => headers['idempotency-key']),
    stopStreams: () => streams.stop(),
  };
};

test('statistics count executions, and no trials', async () => {
  const service = await aService();
  await service.run({ fails: false });
  await service.run({ fails: true });
  expect(await service.try({ fails: false })).toMatchObject({ status: 'succeeded' });
  expect(await service.try({ fails: true })).toMatchObject({ status: 'failed' });
  await service.stopStreams(); // delivers what has changed
  const { body } = await service.ask('GET', '/api/admin/statistics?workflowId=orders');
  expect(body.total).toMatchObject({
    started: 2,
    succeeded: 1,
    failed: 1,
    nodes: { buy: { runs: 2, failed: 1 } },
  });
});

test('error triggers and completion events hear of executions, and of no trials', async () => {
  const service = await aService();
  const failed = await service.try({ fails: true });
  const succeeded = await service.try({ fails: false });
  expect([failed.status, succeeded.status]).toEqual(['failed', 'succeeded']);
  const real = [await service.run({ fails: true }), await service.run({ fails: false })];
  expect(service.reported()).toEqual(real.slice(0, 1));
  const entries = service.entries();
  const events = entries.filter(({ message }) => message === 'event');
  expect(events.map(({ event }) => (event as JsonObject).subject)).toEqual(real.slice(0, 1));
  const ofSuccesses = entries.filter(({ ExecutionsSucceeded }) => ExecutionsSucceeded === 1);
  expect(ofSuccesses.map(({ executionId }) => executionId)).toEqual(real.slice(1));
});

test('a bulk retry plans executions, and no trials', async () => {
  const service = await aService();
  await service.try({ fails: true });
  await service.run({ fails: true });
  const body = { filter: { workflowId: 'orders' }, dryRun: true };
  const plan = await service.ask('POST', '/api/admin/executions/retry', { body });
  expect(plan).toMatchObject({ status: 200, body: { count: 1, refused: [] } });
});

test('trials send idempotency keys of their own', async () => {
  const service = await aService();
  const ids = [
    await service.run({ fails: false }),
    (await service.try({ fails: false })).executionId,
    (await service.try({ fails: false })).executionId,
  ];
  const keys = service.keys();
  expect(keys).toEqual(ids.map((id) => expect.stringContaining(String(id))));
  expect(new Set(keys).size).toBe(3);
});

test('the log line of a trial says who tried which node', async () => {
  const service = await aService();
  const { executionId } = await service.try({ fails: false });
  expect(service.entries().filter(({ message }) => message === 'request')).toContainEqual(
    expect.objectContaining({
      route: 'POST /api/admin/workflows/try',
      status: 200,
      caller: AUTHOR,
      workflowId: 'orders',
      nodeId: 'buy',
      executionId,
    }),
  );
});
