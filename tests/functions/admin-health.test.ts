import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JsonObject, WorkflowNode } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import {
  createCredentialStore,
  createOutboundCredentialStore,
} from '../../lib/adapters/dynamodb/credential-stores.ts';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createStandingStore } from '../../lib/adapters/dynamodb/health/standing-store.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { createFolderSecretStore } from '../../lib/adapters/secrets/folder-secret-store.ts';
import { openHealth } from '../../lib/app/compose/admin.ts';
import { readConfig } from '../../lib/app/config.ts';
import { createHealthRoutes } from '../../lib/app/health.ts';
import type { NodeRecord } from '../../lib/engine/result.ts';
import { STORE_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { startDynamoDbProxy } from '../support/a-dynamodb-proxy.ts';
import { aLocalServer, type LocalServer, type Routes } from '../support/a-local-server.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { patientClock } from '../support/a-patient-clock.ts';
import { aPingedLambda } from '../support/a-pinged-lambda.ts';
import { aPollService, aPollWorkflow } from '../support/a-poll-service.ts';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { anExecutionEnd, anExecutionStart } from '../support/a-start.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';
import { anEvent } from '../support/an-api-event.ts';
import { anInspection } from '../support/an-inspection.ts';
import { checked } from '../support/checked-answers.ts';
import { environmentOf, type LocalValues } from '../support/function-environment.ts';
import { findSecrets } from '../support/secret-forms.ts';
import { useTestDatabases } from '../support/test-database.ts';

type Handler = (event: unknown, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

const TOKEN = 'the-token-of-the-crm';
const openDatabase = useTestDatabases();
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** The function with its real parts: the installed plugins, the tables, the secrets, the guarded HTTP client. */
const aService = async (environment: LocalValues = {}, tablePrefix = 'test') => {
  const database = await openDatabase();
  const { client, tables, endpoint } = database;
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-health-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const secrets = createFolderSecretStore(folder);
  const outbound = createOutboundCredentialStore(client, tables);
  const executions = createExecutionStore(client, tables, { retentionDays: 30, clock: systemClock });
  const lambda = await aPingedLambda();
  cleanups.push(lambda.close);
  const values = {
    DYNAMODB_ENDPOINT: endpoint,
    AWS_ENDPOINT_URL_LAMBDA: lambda.endpoint,
    SECRETS_FOLDER: folder,
    BLOB_FOLDER: join(folder, 'blobs'),
    OUTBOUND_ALLOW: '127.0.0.1',
    ...environment,
  };
  const config = readConfig(environmentOf('adminHealth', values, tablePrefix));
  /** Another sandbox each time, which has kept nothing. */
  const ask = (event: object) =>
    checked(createHealthRoutes(openHealth(installedPlugins, config, patientClock)) as Handler)(
      event,
      {} as Context,
    );
  const path = '/api/admin/plugins/health';
  const get = (rawQueryString = '', method = 'GET') => ask({ ...anEvent({ method, path }), rawQueryString });
  const getLive = () => ask(anEvent({ method: 'POST', path: `${path}/live` }));
  return {
    get,
    getLive,
    report: async (query = '') => bodyOf(await get(query)),
    liveReport: async () => bodyOf(await getLive()),
    database,
    secrets,
    outbound,
    inbound: createCredentialStore(client, tables),
    workflows: createWorkflowStore(client, tables, systemClock),
    putCredential: async (
      id: string,
      fields: Record<string, string> = {},
      hosts: readonly string[] | null = ['crm.example.com'],
    ) => {
      const reference = await secrets.put(id, JSON.stringify({ token: TOKEN }));
      await outbound.put({
        id,
        type: 'httpBearer',
        fields,
        hosts,
        reference,
        revision: 1,
      });
    },
    /** Records an execution of some nodes that ends now. */
    record: async (executionId: string, nodes: readonly NodeRecord[], workflowId = 'greeting') => {
      const startedAt = Date.now() - 1_000;
      await executions.start(anExecutionStart({ executionId, workflowId, startedAt }));
      await executions.finish(executionId, anExecutionEnd({ endedAt: Date.now(), nodes }));
    },
  };
};

const aServer = async (routes: Routes): Promise<LocalServer> => {
  const server = await aLocalServer(routes);
  cleanups.push(server.close);
  return server;
};

const call = (changes: Partial<WorkflowNode> = {}): WorkflowNode => ({
  id: 'call',
  type: 'httpRequest',
  credentialId: 'crm',
  parameters: { url: 'https://crm.example.com/' },
  ...changes,
});

/** A workflow that calls out with the credential `crm`. */
const aCaller = (changes: Partial<WorkflowDefinition> = {}): WorkflowDefinition =>
  aWorkflow({
    id: 'orders',
    nodes: [aTrigger(), call()],
    connections: [{ sourceNodeId: 'request', targetNodeId: 'call' }],
    ...changes,
  });

const aNode = (type: string, status: NodeRecord['status'], failureName?: string): NodeRecord => ({
  nodeId: type,
  type,
  status,
  iteration: 0,
  attempts: 1,
  startedAt: 0,
  durationMs: 1,
  ...(failureName === undefined
    ? {}
    : { failure: { nodeId: type, name: failureName, message: 'it failed' } }),
});

const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

describe('an unused plugin', () => {
  test('is healthy, and says that it is not configured', async () => {
    const { report } = await aService();
    const { status, plugins, coverage } = await report();
    expect(status).toBe('healthy');
    expect(plugins.credentials).toMatchObject({ status: 'healthy', configured: false });
    expect(plugins.flow).toEqual({
      status: 'healthy',
      durationMs: expect.any(Number),
      checkedAt: expect.any(String),
      configured: false,
    });
    expect(coverage).toEqual({
      workflows: { read: 0, complete: true },
      credentials: { read: 0, complete: true },
      polls: { read: 0, complete: true },
      executions: { read: 0, complete: true, since: expect.stringMatching(/Z$/) },
    });
  });

  test.each([
    ['a disabled workflow', { enabled: false }],
    ['a disabled node', { nodes: [aTrigger(), call({ disabled: true })] }],
  ])('is not configured by %s, whose credential may be missing', async (_case, changes) => {
    const { report, workflows } = await aService();
    await workflows.put(aCaller(changes), []);
    const { status, plugins } = await report();
    expect(status).toBe('healthy');
    expect(plugins.httpRequest).toMatchObject({ configured: false });
    expect(plugins.httpRequest).not.toHaveProperty('credentials');
  });

  test('is configured by a workflow with one of its nodes', async () => {
    const { report, workflows } = await aService();
    await workflows.put(aWorkflow(), []);
    await workflows.put(aCaller({ id: 'gone' }), []);
    await workflows.remove('gone');
    expect((await report()).plugins).toMatchObject({
      flow: { configured: true },
      webhookTrigger: { configured: true },
      httpRequest: { configured: false },
    });
  });
});

describe('the credentials that workflows name', () => {
  test('are listed with the plugins of the node and of the type', async () => {
    const { report, workflows, putCredential } = await aService();
    await putCredential('crm');
    await workflows.put(aCaller(), []);
    const crm = { crm: { type: 'httpBearer', status: 'healthy', workflows: ['orders'] } };
    expect(await report()).toMatchObject({
      status: 'healthy',
      plugins: {
        httpRequest: { configured: true, credentials: crm },
        credentials: { configured: true, credentials: crm },
      },
    });
  });

  test('get a warning if they name no hosts, and so do their plugins', async () => {
    const { report, workflows, putCredential } = await aService();
    await putCredential('crm', {}, null);
    await workflows.put(aCaller(), []);
    const message =
      'it is allowed for any host because it lists none: run "credential hosts crm --host NAME"';
    const { status, plugins } = await report();
    expect(status).toBe('degraded');
    expect(plugins.httpRequest).toMatchObject({
      status: 'warning',
      message: `credential "crm" of workflow "orders": ${message}`,
      credentials: { crm: { type: 'httpBearer', status: 'warning', message, workflows: ['orders'] } },
    });
  });

  test('get a different warning if they explicitly allow any host', async () => {
    const { report, workflows, putCredential } = await aService();
    await putCredential('crm', {}, ['crm.example.com', '*']);
    await workflows.put(aCaller(), []);
    const { status, plugins } = await report();
    expect(status).toBe('healthy');
    expect(plugins.httpRequest).toMatchObject({
      status: 'healthy',
      credentials: {
        crm: { status: 'warning', message: 'it is allowed for any host: its hosts include "*"' },
      },
    });
  });

  test('get no warning if their type only provides its fields, or sets the URL itself', async () => {
    const { report, workflows, outbound } = await aService();
    const bare = { fields: {}, hosts: null, reference: 'file:any', revision: 1 };
    await outbound.put({ ...bare, id: 'chat', type: 'slackWebhook' });
    await outbound.put({ ...bare, id: 'db', type: 'postgres' });
    const nodes = [
      call({ id: 'post', type: 'slackWebhook', credentialId: 'chat', parameters: { text: 'a' } }),
      call({ id: 'read', type: 'postgres', credentialId: 'db', parameters: { sql: 'SELECT 1' } }),
    ];
    await workflows.put(aCaller({ nodes: [aTrigger(), ...nodes], connections: [] }), []);
    expect((await report()).plugins.credentials).toMatchObject({
      status: 'healthy',
      credentials: { chat: { status: 'healthy' }, db: { status: 'healthy' } },
    });
  });

  test('are reported when they are removed: the plugin of the node is unhealthy, and says where', async () => {
    const { report, workflows, putCredential, outbound } = await aService();
    await putCredential('crm');
    await workflows.put(aCaller(), []);
    await outbound.remove({ id: 'crm', revision: 1 });
    const { status, plugins, summary } = await report();
    expect({ status, unhealthy: summary.unhealthy }).toEqual({ status: 'degraded', unhealthy: 1 });
    expect(plugins.httpRequest).toMatchObject({
      status: 'unhealthy',
      message: 'credential "crm" of workflow "orders": it does not exist',
      credentials: { crm: { type: null, status: 'unhealthy', workflows: ['orders'] } },
    });
    expect(plugins.credentials).toMatchObject({ status: 'healthy', configured: false });
  });

  test('must have a type that their node accepts', async () => {
    const { report, workflows, outbound } = await aService();
    await outbound.put({ id: 'crm', type: 'smtp', fields: {}, hosts: [], reference: 'crm', revision: 1 });
    await workflows.put(aCaller(), []);
    expect((await report('plugin=httpRequest')).plugins.httpRequest).toMatchObject({
      status: 'unhealthy',
      message: expect.stringContaining('it has type smtp, but httpRequest accepts httpBearer'),
    });
  });

  test('of callers need a secret too', async () => {
    const { report, liveReport, workflows, inbound } = await aService();
    const parameters = { authentication: 'apiKey' };
    const nodes = [aTrigger(parameters, { credentialId: 'key' })];
    await workflows.put(aWorkflow({ nodes, connections: [] }), []);
    const key = { id: 'key', type: 'apiKey', username: null, revision: 1 } as const;
    await inbound.put({ ...key, secrets: [] });
    expect((await report()).plugins.webhookTrigger).toMatchObject({
      status: 'unhealthy',
      message: 'credential "key" of workflow "greeting": it has no secret',
    });
    const hash = { algorithm: 'sha256', hash: 'x' } as const;
    await inbound.put({ ...key, secrets: [{ id: '1', createdAt: '2026', hash }], revision: 2 });
    expect((await liveReport()).plugins.webhookTrigger).toMatchObject({
      status: 'healthy',
      credentials: { key: { type: 'apiKey', status: 'healthy' } },
    });
  });
});

describe('a report with live tests', () => {
  const aCallerOf = async (routes: Routes, environment = {}) => {
    const service = await aService(environment);
    const { origin } = await aServer(routes);
    await service.putCredential('crm', { testUrl: `${origin}/me` });
    await service.workflows.put(aCaller(), []);
    const probe = async () => (await service.liveReport()).plugins.httpRequest;
    return { ...service, probe };
  };
  const answering =
    (status: number): Routes[string] =>
    ({ headers }, response) =>
      response.writeHead(status, { 'x-echo': String(headers.authorization) }).end(headers.authorization);

  test('runs the live test of each credential', async () => {
    const { probe } = await aCallerOf({ '/me': answering(200) });
    expect(await probe()).toMatchObject({
      status: 'healthy',
      credentials: {
        crm: {
          status: 'healthy',
          message: expect.stringMatching(/^127\.0\.0\.1:\d+ answered 200$/),
          tested: true,
          testedAt: expect.stringMatching(/Z$/),
        },
      },
    });
  });

  test('reports a rejected credential without its secret', async () => {
    const { getLive } = await aCallerOf({ '/me': answering(401) });
    const result = await getLive();
    expect(result.statusCode).toBe(200);
    expect(bodyOf(result)).toMatchObject({
      status: 'degraded',
      plugins: { httpRequest: { status: 'unhealthy', message: expect.stringContaining('answered 401') } },
    });
    expect(findSecrets(JSON.stringify(result), [TOKEN])).toEqual([]);
  });

  test('calls no address that is forbidden to nodes', async () => {
    const { probe } = await aCallerOf({ '/me': answering(200) }, { OUTBOUND_ALLOW: '' });
    expect(await probe()).toMatchObject({
      status: 'unhealthy',
      message: expect.stringContaining('was refused'),
    });
  });

  test('is what reads secrets, so only it reports a missing one', async () => {
    const { report, probe, secrets, outbound } = await aCallerOf({ '/me': answering(200) });
    await secrets.remove((await outbound.find('crm'))?.reference ?? '');
    expect(await report()).toMatchObject({ status: 'healthy' });
    expect(await probe()).toMatchObject({
      status: 'unhealthy',
      message: expect.stringContaining('the secret of credential "crm" no longer exists'),
    });
  });
});

describe('the failed runs of the last day', () => {
  test('are counted by node type, with their share', async () => {
    const { report, record, workflows } = await aService();
    await workflows.put(aWorkflow(), []);
    await record('e-1', [aNode('set', 'succeeded'), aNode('httpRequest', 'failed', 'HttpStatusError')]);
    await record('e-2', [aNode('set', 'succeeded'), aNode('httpRequest', 'succeeded')]);
    await record('e-3', [aNode('set', 'skipped'), aNode('httpRequest', 'succeeded')], 'other');
    const { status, plugins, coverage } = await report();
    expect(status).toBe('healthy');
    expect(plugins.httpRequest.runs).toEqual({ httpRequest: { runs: 2, failed: 1, share: 0.5 } });
    expect(plugins.flow.runs).toEqual({ set: { runs: 2, failed: 0, share: 0 } });
    expect(coverage.executions).toMatchObject({ read: 2, complete: true }); // no workflow is called other
  });

  test('are a warning when there are many', async () => {
    const { report, record, workflows } = await aService();
    await workflows.put(aWorkflow(), []);
    const failed = aNode('httpRequest', 'failed', 'HttpStatusError');
    await record('e-1', [...times(27, aNode('httpRequest', 'succeeded')), ...times(3, failed)]);
    expect(await report()).toMatchObject({
      status: 'degraded',
      plugins: {
        httpRequest: {
          status: 'warning',
          message: '3 of 30 runs of "httpRequest" failed in the last day',
          runs: { httpRequest: { runs: 30, failed: 3, share: 0.1 } },
        },
      },
    });
  });

  test('ignore a node that fails on purpose, and nodes cut off from outside', async () => {
    const { report, record, workflows } = await aService();
    await workflows.put(aWorkflow(), []);
    await record('e-1', [
      ...times(5, aNode('stopAndError', 'failed', 'StoppedByWorkflow')),
      ...times(5, aNode('wait', 'failed', 'Cancelled')),
    ]);
    const { status, plugins } = await report();
    expect(status).toBe('healthy');
    expect(plugins.data.runs).toEqual({ stopAndError: { runs: 5, failed: 5, share: 1 } });
    expect(plugins.control).not.toHaveProperty('runs');
  });
});

describe('a trigger that polls', () => {
  const SINCE = '2023-11-14T22:13:20.000Z';

  /** A feed that refuses until a test changes its status, its polls, and the reports of the same stage. */
  const aPolled = async () => {
    const feed = { status: 503 };
    const { origin } = await aServer({
      '/': (_request, response) =>
        void response.writeHead(feed.status, { 'content-type': 'application/json' }).end('[]'),
    });
    const { database, report } = await aService();
    const polls = await aPollService(database);
    const workflow = aPollWorkflow({ url: `${origin}/`, itemKey: 'id' });
    await polls.put(workflow);
    return { ...polls, feed, workflow, report, row: async () => (await report()).plugins.polls };
  };

  test('is named when its feed refuses, with the time of the first failure, until a poll succeeds', async () => {
    const { poll, clock, feed, report, records } = await aPolled();
    await poll();
    clock.advance(300_000);
    await poll();
    const { status, coverage, plugins } = await report();
    expect([status, coverage.polls]).toEqual(['degraded', { read: 1, complete: true }]);
    const executionId = (await records()).toSorted((a, b) => b.startedAt - a.startedAt)[0]?.executionId;
    const place = { workflowId: 'news', triggerNodeId: 'feed', nodeType: 'pollTrigger' };
    expect(plugins.polls).toMatchObject({
      status: 'warning',
      message: expect.stringContaining(`trigger "feed" of workflow "news" can't poll since ${SINCE}: `),
      failingPolls: [{ ...place, since: SINCE, message: expect.stringContaining('503'), executionId }],
    });
    feed.status = 200;
    await poll();
    expect(await report()).toMatchObject({ status: 'healthy', coverage: { polls: { read: 1 } } });
  });

  test('is named when the store failed during its poll', async () => {
    const { poll, parts, row } = await aPolled();
    const out = new AppError(STORE_UNAVAILABLE, {});
    Object.assign(parts.executions, { startAndFinish: () => Promise.reject(out) });
    await expect(poll()).rejects.toBe(out);
    expect(await row()).toMatchObject({
      status: 'warning',
      failingPolls: [{ triggerNodeId: 'feed', since: SINCE, message: out.message, executionId: null }],
    });
  });

  test('is named when its process died, also while another one runs', async () => {
    const { poll, clock, killAfter, row } = await aPolled();
    await killAfter(3, () => poll('one'));
    const killed = {
      since: SINCE,
      message: expect.stringContaining(`the poll that began at ${SINCE} ended without noting a result`),
    };
    expect(await row()).toMatchObject({ failingPolls: [killed] });
    clock.advance(Date.now() - clock.now());
    await killAfter(3, () => poll('two'));
    expect(await row()).toMatchObject({ failingPolls: [killed] });
  });

  test.each([
    ['a disabled trigger', { nodes: { disabled: true } }],
    ['a disabled workflow', { enabled: false }],
  ])('is not named as part of %s', async (_case, { nodes, ...changes }: Partial<Record<string, unknown>>) => {
    const { poll, put, workflow, row } = await aPolled();
    await poll();
    const [feed, ...others] = workflow.nodes;
    await put({
      ...workflow,
      ...changes,
      nodes: [{ ...feed, ...(nodes as object) } as WorkflowNode, ...others],
    });
    expect(await row()).toMatchObject({ status: 'healthy', configured: false });
  });

  test.each<readonly [string, JsonObject]>([
    ['without a message', { failure: { executionId: null } }],
    ['with a time that is none', { failure: { message: 'a', executionId: null, since: 'yesterday' } }],
    ['with a lock beyond all dates', { running: { requestId: 'a', until: 9e15 } }],
  ])('is not named for an entry of state that somebody else wrote, %s', async (_case, changes) => {
    const { stores, row } = await aPolled();
    const polled = {
      since: null,
      polledAt: SINCE,
      found: 0,
      started: 0,
      batch: 0,
      failure: null,
      running: null,
    };
    await stores.state.put(
      {
        scope: 'workflow:news',
        key: 'feed',
        version: 1,
        writtenAt: 0,
        expiresAt: null,
        effect: null,
        writtenBy: { executionId: null, caller: null },
        content: { kind: 'value', value: { ...polled, ...changes } },
      },
      null,
    );
    expect(await row()).toMatchObject({ status: 'healthy', configured: true });
  });
});

describe('?plugin=', () => {
  test('returns a report of the same shape with one row', async () => {
    const { report } = await aService();
    const whole = await report();
    const one = await report('plugin=flow');
    expect(Object.keys(one)).toEqual(Object.keys(whole));
    expect(Object.keys(one.plugins)).toEqual(['flow']);
    expect(one.summary).toEqual({ total: 1, healthy: 1, warning: 0, unhealthy: 0, disabled: 0 });
  });

  test('is a 404 for a plugin that is not installed', async () => {
    const { get } = await aService();
    const result = await get('plugin=flwo');
    expect(result).toMatchObject(aProblem(404, 'plugin-not-found'));
    expect(bodyOf(result).detail).toBe('No plugin with this id is installed.');
  });

  test('is answered for a disabled plugin', async () => {
    const { get } = await aService({ DISABLED_PLUGINS: 'flow' });
    const result = await get('plugin=flow');
    expect(result.statusCode).toBe(503); // none of the report works
    expect(bodyOf(result).plugins).toMatchObject({ flow: { status: 'disabled' } });
  });

  test.each([
    ['plugins=flow', 'unknown parameter \\"plugins\\", expected one of plugin'],
    ['plugin=flow&plugin=code', 'plugin is given twice'],
    ['probe=true', 'unknown parameter \\"probe\\"'], // live tests are asked for with POST
  ])('and any other query as wrong as ?%s is a 400 that says what is wrong', async (query, reason) => {
    const { get } = await aService();
    const result = await get(query);
    expect(result).toMatchObject(aProblem(400, 'query-invalid'));
    expect(result.body).toContain(reason);
  });

  test('may be empty', async () => {
    const { report } = await aService();
    expect((await report('plugin=')).summary.total).toBeGreaterThan(1);
  });
});

describe('a store that takes no writes', () => {
  const checksOf = async (environment: LocalValues) => {
    const { get } = await aService(environment);
    const result = await get();
    return [result.statusCode, bodyOf(result).status, bodyOf(result).checks.store];
  };

  test('because the bucket denies them is part of the report', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'hookloom-health-')), 'no-folder');
    writeFileSync(file, '');
    cleanups.push(() => rmSync(dirname(file), { recursive: true }));
    expect(await checksOf({ BLOB_FOLDER: file })).toEqual([
      200,
      'degraded',
      {
        status: 'unhealthy',
        message: expect.stringMatching(/^the bucket cannot be written, so deliveries are refused or fail/),
      },
    ]);
  });

  test.each([
    ['are refused', 400, 'com.amazon.coral.service#AccessDeniedException', 'the function lacks a permission'],
    ['are throttled', 400, 'com.amazonaws.dynamodb.v20120810#ThrottlingException', 'it is throttling'],
    ['fail', 500, 'com.amazonaws.dynamodb.v20120810#InternalServerError', 'it is unavailable'],
  ])('because those of the table %s is part of the report', async (_case, status, type, why) => {
    const { endpoint } = await openDatabase();
    const proxy = await startDynamoDbProxy(endpoint, async (call, forward) =>
      call.operation === 'PutItem'
        ? { status, body: JSON.stringify({ __type: type, message: 'no' }) }
        : forward(call),
    );
    cleanups.push(proxy.stop);
    expect(await checksOf({ DYNAMODB_ENDPOINT: proxy.endpoint })).toEqual([
      200,
      'degraded',
      {
        status: 'unhealthy',
        message: expect.stringMatching(
          `^the table of executions cannot be written, so deliveries are refused or fail: ${why}$`,
        ),
      },
    ]);
  });

  test('is written once for the reports of five seconds, with one item and one object', async () => {
    const clock = aManualClock();
    const written: string[] = [];
    const write = (name: string) => async () => written.push(name);
    const inspect = anInspection(clock, { writes: { table: write('table'), bucket: write('bucket') } });
    const registry = { plugins: [], findNodeType: () => null, credentialTypes: new Map() };
    const ask = () =>
      inspect(registry as never, { plugin: null, probe: false, endsAt: clock.now() + 20_000 });
    await ask();
    await ask();
    expect(written).toEqual(['table', 'bucket']);
  });
});

test('what is silent is in the report, which is degraded then', async () => {
  const { report, database } = await aService();
  const { client, tables } = database;
  expect(await report()).toMatchObject({ status: 'healthy', silences: [] });
  const silence = { workflowId: 'orders', triggerNodeId: null, rule: 'below', message: 'It is.' } as const;
  const standing = createStandingStore(client, tables);
  await standing.put({
    silences: [{ ...silence, since: 1_700_000_000_000 }],
    expiries: [],
    historyReadAt: 0,
  });
  expect(await report()).toMatchObject({
    status: 'degraded',
    silences: [{ ...silence, since: '2023-11-14T22:13:20.000Z' }],
  });
});

describe('an unreadable store', () => {
  test.each([
    ['does not answer', { DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' }, 'test', 'it is unavailable'],
    ['has no such tables', {}, 'other', 'a table or the bucket does not exist'],
  ])('that %s is part of the report', async (_case, environment, tablePrefix, why) => {
    const { getLive } = await aService(environment, tablePrefix);
    const result = await getLive();
    expect(result.statusCode).toBe(200);
    const { status, checks, coverage, summary } = bodyOf(result);
    expect({ status, coverage }).toEqual({ status: 'degraded', coverage: null });
    expect(checks.store).toEqual({
      status: 'unhealthy',
      message: `the tables cannot be read: ${why}`,
    });
    expect(summary.healthy).toBe(summary.total);
    expect(result.body).not.toContain('127.0.0.1');
  });
});

test('the caller may cache the response for as long as the sandbox does', async () => {
  const { get } = await aService();
  const { headers } = await get();
  expect(headers).toMatchObject({ 'cache-control': 'private, max-age=5' });
  expect(await get('', 'HEAD')).not.toHaveProperty('body');
});

test('its sample event without a query returns the whole report without live tests', async () => {
  const file = new URL('../../events/adminHealth.json', import.meta.url);
  expect(JSON.parse(await readFile(file, 'utf8')).rawQueryString).toBe('');
});
