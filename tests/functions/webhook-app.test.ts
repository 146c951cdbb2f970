import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { openWebhook } from '../../lib/app/compose/webhook.ts';
import { createWebhookFunction } from '../../lib/app/webhook-handler.ts';
import { isAppError } from '../../lib/shared/errors.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { openSampleStores } from '../../packages/local/samples/sample-stores.ts';
import { putSample, seedSamples } from '../../packages/local/samples/seed.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { environmentOf } from '../support/function-environment.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();

/** Of sources that are not there: the samples that register are left out. */
const NO_SOURCES = 'http://127.0.0.1:1';
const before = { ...process.env };

beforeEach(() => {
  Object.assign(process.env, environmentOf('webhook', { WORKFLOW_CACHE_SECONDS: '0' }));
});

afterEach(() => {
  process.env = { ...before };
});

const event = JSON.parse(readFileSync(new URL('../../events/webhook.json', import.meta.url), 'utf8'));

const call = async (given: unknown = event) => {
  const handler = createWebhookFunction(openWebhook(installedPlugins));
  const result = (await handler(given as never, {} as never)) as APIGatewayProxyStructuredResultV2;
  return { result, body: JSON.parse(result.body ?? 'null') };
};

describe('the composed webhook function', () => {
  test('answers from its tables, and writes its records there', async () => {
    const { endpoint } = await openDatabase();
    process.env.DYNAMODB_ENDPOINT = endpoint;
    const secretsFolder = mkdtempSync(join(tmpdir(), 'hookloom-secrets-'));
    const target = openSampleStores({
      dynamodbEndpoint: endpoint,
      sourcesEndpoint: NO_SOURCES,
      tablePrefix: 'test',
      secretsFolder,
    });
    await seedSamples(target, 'a'.repeat(43));
    rmSync(secretsFolder, { recursive: true });
    const { result, body } = await call();
    expect(body).toEqual({ greeting: 'Hello, Ada' });
    const executionId = String(result.headers?.['hookloom-execution-id']);
    expect(await openWebhook(installedPlugins).executions.find(executionId)).toMatchObject({
      status: 'succeeded',
      workflowId: 'hello',
      nodes: [{ nodeId: 'request' }, { nodeId: 'greet' }],
    });
  });

  test('calls only what the configuration allows', async () => {
    const { endpoint } = await openDatabase();
    process.env.DYNAMODB_ENDPOINT = endpoint;
    const server = createServer((_request, response) => response.end('hello from outside')).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const target = openSampleStores({ dynamodbEndpoint: endpoint, tablePrefix: 'test' });
    const file = join(tmpdir(), `hookloom-calls-out-${port}.json`);
    const nodes = [
      { id: 'in', type: 'webhookTrigger', parameters: { responseMode: 'lastNode' } },
      { id: 'call', type: 'httpRequest', parameters: { url: `http://127.0.0.1:${port}/` } },
    ];
    const connections = [{ sourceNodeId: 'in', targetNodeId: 'call' }];
    writeFileSync(file, JSON.stringify(aWorkflow({ id: 'hello', nodes, connections })));
    await putSample(file, target);

    expect((await call()).result.statusCode).toBe(500);
    process.env.OUTBOUND_ALLOW = `127.0.0.1:${port}`;
    expect((await call()).body).toMatchObject({ status: 200, body: 'hello from outside' });
    server.close();
    server.closeAllConnections();
  });

  test('does not start without the name of its tables', () => {
    delete process.env.TABLE_PREFIX;
    let thrown: unknown;
    try {
      openWebhook(installedPlugins);
    } catch (error) {
      thrown = error;
    }
    expect(isAppError(thrown, 'CONFIGURATION_INVALID')).toBe(true);
  });
});
