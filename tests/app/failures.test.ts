import { afterEach, describe, expect, test } from '@jest/globals';
import { createRegistrationStore } from '../../lib/adapters/dynamodb/registrations/registration-store.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { lateFailures } from '../../lib/app/failures/late-failures.ts';
import type { JsonObject } from '../../lib/contract/json.ts';
import { aLocalServer, type LocalServer } from '../support/a-local-server.ts';
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
  ...{ workflowId, nodeType, parameters },
});

/** Reports as the functions make them, with DynamoDB and a Lambda that answers with a status. */
const aService = async ({ status = 202, cacheTtlMs = 0 } = {}) => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' });
  const { client, tables } = await openDatabase();
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
    failures: lateFailures({
      ...{ client: { ...client, query }, tables, cacheTtlMs },
      ...{ region: 'us-east-1', endpoint: lambda.origin, functionName: 'test-dispatch' },
    }),
    lambda,
    queries: () => queries,
  };
};

describe('reports of failures', () => {
  test('are wanted where an error trigger of another workflow asks for them', async () => {
    const { registrations, failures } = await aService();
    expect(await failures.areWanted('orders')).toBe(false);
    await registrations.claim(aRegistration('orders'));
    await registrations.claim(aRegistration('mail', { workflows: ['orders'] }));
    await registrations.claim(aRegistration('clock', {}, 'scheduleTrigger'));
    const wanted = await Promise.all(['orders', 'mail', 'clock'].map(failures.areWanted));
    expect(wanted).toEqual([true, true, true]);
    const stored = await registrations.find('orders-errorTrigger');
    if (stored !== null) await registrations.remove(stored);
    expect([await failures.areWanted('orders'), await failures.areWanted('mail')]).toEqual([true, false]);
  });

  test('read the list of error triggers once while it is cached', async () => {
    const { failures, queries } = await aService({ cacheTtlMs: 60_000 });
    for (const workflowId of ['orders', 'mail', 'orders']) await failures.areWanted(workflowId);
    expect(queries()).toBe(1);
  });

  test('are sent as an asynchronous invocation of the function that takes events', async () => {
    const { failures, lambda } = await aService();
    await failures.send('e-1');
    expect(lambda.received).toEqual([
      expect.objectContaining({
        method: 'POST',
        body: '{"hookloom":{"failed":"e-1"}}',
        headers: expect.objectContaining({ 'x-amz-invocation-type': 'Event' }),
      }),
    ]);
  });

  test('fail when Lambda refuses them', async () => {
    const { failures } = await aService({ status: 403 });
    await expect(failures.send('e-1')).rejects.toMatchObject({ code: 'DISPATCH_REFUSED' });
  });
});
