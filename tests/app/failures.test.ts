import type { JsonObject } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createRegistrationStore } from '../../lib/adapters/dynamodb/registrations/registration-store.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { lateFailures } from '../../lib/app/compose/parts.ts';
import type { FindReport } from '../../lib/executions/record/failure-reports.ts';
import { aLocalServer, type LocalServer } from '../support/a-local-server.ts';
import { aRecordingLogger } from '../support/a-recording-logger.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();
const servers: LocalServer[] = [];
const before = { ...process.env };

afterEach(async () => {
  process.env = { ...before };
  for (const server of servers.splice(0)) await server.close();
});

const INVOCATIONS = '/2015-03-31/functions/test-dispatch/invocations';

const aRegistration = (workflowId: string, parameters: JsonObject = {}, nodeType = 'errorTrigger') => ({
  name: `${workflowId}-${nodeType}`,
  triggerNodeId: 'broken',
  workflowId,
  nodeType,
  parameters,
});

/** The report of a failed execution `e-1` of a workflow. */
const toFind = (findReport: FindReport) => (workflowId: string) =>
  findReport({
    executionId: 'e-1',
    workflowId,
    status: 'failed',
    trigger: { nodeId: 'request', type: 'webhookTrigger' },
  });

/** Reports as the functions make them, with DynamoDB and a Lambda that answers with a status. */
const aService = async ({ status = 202, cacheTtlMs = 0, prefix = 'test', reportsAll = false } = {}) => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' });
  const { client } = await openDatabase();
  const tables = tableNames(prefix);
  const { logger, entries } = aRecordingLogger();
  const lambda = await aLocalServer({
    [INVOCATIONS]: (_request, response) => void response.writeHead(status).end(),
  });
  servers.push(lambda);
  let queries = 0;
  const query: typeof client.query = (input) => {
    queries += 1;
    return client.query(input);
  };
  return {
    registrations: createRegistrationStore(client, tables, systemClock),
    find: toFind(
      lateFailures({
        logger,
        client: { ...client, query },
        tables,
        cacheTtlMs,
        reportsAll,
        region: 'us-east-1',
        endpoint: lambda.origin,
        functionName: 'test-dispatch',
      }),
    ),
    entries,
    lambda,
    queries: () => queries,
  };
};

describe('failure reports', () => {
  test('are sent if an error trigger of another workflow asks for them', async () => {
    const { registrations, find } = await aService();
    expect(await find('orders')).toBeNull();
    await registrations.claim(aRegistration('orders'));
    await registrations.claim(aRegistration('mail', { workflows: ['orders'] }));
    await registrations.claim(aRegistration('clock', {}, 'scheduleTrigger'));
    await registrations.claim(aRegistration('costs', { kinds: ['cost'] }, 'noticeTrigger'));
    for (const workflowId of ['orders', 'mail', 'clock']) expect(await find(workflowId)).not.toBeNull();
    const stored = await registrations.find('orders-errorTrigger');
    if (stored !== null) await registrations.remove(stored);
    expect(await find('orders')).not.toBeNull();
    expect(await find('mail')).toBeNull();
    await registrations.claim(aRegistration('people', {}, 'noticeTrigger'));
    expect(await find('mail')).not.toBeNull();
    expect(await find('people')).toBeNull();
  });

  test('are sent for all failures where notices are printed, without a read', async () => {
    const { find, queries } = await aService({ reportsAll: true });
    expect([typeof (await find('orders')), queries()]).toEqual(['function', 0]);
  });

  test('read the list of error triggers once while it is cached', async () => {
    const { find, queries } = await aService({ cacheTtlMs: 60_000 });
    for (const workflowId of ['orders', 'mail', 'orders']) await find(workflowId);
    expect(queries()).toBe(2); // error triggers, notice triggers
  });

  test('are sent as an asynchronous invocation of the event function', async () => {
    const { find, lambda, registrations } = await aService();
    await registrations.claim(aRegistration('mail'));
    await (await find('orders'))?.();
    expect(lambda.received).toEqual([
      expect.objectContaining({
        method: 'POST',
        body: '{"hookloom":{"failed":"e-1"}}',
        headers: expect.objectContaining({ 'x-amz-invocation-type': 'Event' }),
      }),
    ]);
  });

  test('fail when Lambda refuses them', async () => {
    const { find, registrations } = await aService({ status: 403 });
    await registrations.claim(aRegistration('mail'));
    await expect((await find('orders'))?.()).rejects.toMatchObject({ code: 'DISPATCH_REFUSED' });
  });

  test('are sent when it is unknown whether a trigger asks for them', async () => {
    const { find, lambda, entries } = await aService({ prefix: 'none' });
    await (await find('orders'))?.();
    expect(lambda.received).toHaveLength(1);
    expect(entries).toContainEqual(expect.objectContaining({ level: 'warn' }));
  });
});
