import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { openExecutions, openRequests, openSendAgain } from '../../lib/app/compose/admin.ts';
import { createListExecutions } from '../../lib/app/executions.ts';
import { createSendAgain, createShowRequests } from '../../lib/app/requests.ts';
import { refusedPlace } from '../../lib/webhooks/requests/request-record.ts';
import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { aLocalServer, type LocalServer } from '../support/a-local-server.ts';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { aRequestRecord } from '../support/a-request-record.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';
import { checked } from '../support/checked-answers.ts';
import { environmentOf, type LocalValues } from '../support/function-environment.ts';
import { useTestDatabases } from '../support/test-database.ts';

type Handler = (event: unknown, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

const openDatabase = useTestDatabases();
const before = { ...process.env };
const servers: LocalServer[] = [];
/** Endpoints of this machine, for the functions that are called next. */
let endpoints: LocalValues = {};

afterEach(async () => {
  process.env = { ...before };
  for (const server of servers.splice(0)) await server.close();
});

const handlers = {
  adminRequests: () => createShowRequests(openRequests()),
  adminSendAgain: () => createSendAgain(openSendAgain(installedPlugins)),
  adminExecutions: () => createListExecutions(openExecutions()),
};
const EXPRESS = '/2015-03-31/functions/hookloom-dev-runExpress/invocations';
const T0 = Date.now() - 60_000;
const record = aRequestRecord({ workflowId: 'hello', receivedAt: T0, place: refusedPlace(T0, 7) });
const ID = `hello.${record.place}`;

const call = (name: keyof typeof handlers, changes: Record<string, unknown> = {}) => {
  const event = JSON.parse(readFileSync(new URL(`../../events/${name}.json`, import.meta.url), 'utf8'));
  process.env = { ...before, ...environmentOf(name, endpoints) };
  return checked(handlers[name]() as Handler)({ ...event, ...changes }, {
    awsRequestId: 'lambda-1',
  } as Context);
};

/** The stores with a record of a refused request, and the workflow that it was for. */
const aService = async () => {
  const answer: Parameters<typeof aLocalServer>[0][string] = (_request, response) =>
    response.writeHead(202).end('{}');
  const lambda = await aLocalServer({ [EXPRESS]: answer });
  servers.push(lambda);
  endpoints = {
    DYNAMODB_ENDPOINT: (await openDatabase()).endpoint,
    AWS_ENDPOINT_URL_LAMBDA: lambda.origin,
  };
  process.env = { ...before, ...environmentOf('adminSendAgain', endpoints) };
  const { requests, client, tables, executions } = openSendAgain(installedPlugins);
  const workflows = createWorkflowStore(client, tables, { now: () => Date.now() });
  const definition = aWorkflow({ id: 'hello', nodes: [aTrigger({ path: '/orders' })], connections: [] });
  await workflows.put(definition, toPathConfigs(definition));
  await requests.put(record);
  return { lambda, executions };
};

describe('GET /api/admin/requests', () => {
  test('answers its sample event', async () => {
    await aService();
    const result = await call('adminRequests');
    expect([result.statusCode, bodyOf(result)]).toEqual([
      200,
      {
        count: 1,
        requests: [
          {
            id: ID,
            requestId: 'request-1',
            workflowId: 'hello',
            receivedAt: new Date(T0).toISOString(),
            sender: '192.0.2.7',
            method: 'POST',
            path: '/orders',
            key: null,
            verdict: 'refused',
            executionId: null,
            refusal: { ...record.refusal, advice: expect.stringContaining('secret') },
          },
        ],
        nextCursor: null,
        timestamp: expect.any(String),
      },
    ]);
  });

  test.each([
    ['', 'workflowId is missing'],
    ['workflowId=hello&verdict=accepted', 'verdict must be one of'],
    ['workflowId=hello&status=failed', 'unknown parameter'],
  ])('?%s is a 400 that says what is wrong', async (rawQueryString, message) => {
    await aService();
    const result = await call('adminRequests', { rawQueryString });
    expect(result).toMatchObject(aProblem(400, 'query-invalid'));
    expect(result.body).toContain(message);
  });

  test('/{id} returns everything recorded, and is a 404 for any other', async () => {
    await aService();
    const routeKey = 'GET /api/admin/requests/{id}';
    const show = (id: string) =>
      call('adminRequests', { routeKey, rawQueryString: '', pathParameters: { id } });
    expect(bodyOf(await show(ID))).toMatchObject({
      id: ID,
      headers: record.headers,
      body: record.body,
      missing: null,
    });
    for (const id of [`${ID}0`, 'nonsense', 'x'.repeat(1_000)])
      expect(await show(id)).toMatchObject(aProblem(404, 'request-not-found'));
  });
});

describe('POST /api/admin/requests/{id}/send-again', () => {
  const again = (changes: Record<string, unknown> = {}) =>
    call('adminSendAgain', { pathParameters: { id: ID }, ...changes });

  test('starts an execution that can be found by the request', async () => {
    const { lambda, executions } = await aService();
    const result = await again();
    const { executionId, ...rest } = bodyOf(result);
    expect([result.statusCode, rest]).toEqual([
      202,
      { sent: ID, workflowId: 'hello', workflowVersion: 1, status: 'accepted' },
    ]);
    expect(await executions.find(executionId)).toMatchObject({ status: 'accepted', requestId: 'request-1' });
    expect(lambda.received).toMatchObject([{ url: EXPRESS, body: JSON.stringify({ executionId }) }]);
    const list = await call('adminExecutions', { rawQueryString: 'workflowId=hello&request=request-1' });
    expect(bodyOf(list).executions).toMatchObject([{ executionId }]);
  });

  test.each<[Record<string, unknown>, number, string, string]>([
    [{ body: '{"version":9}' }, 409, 'request-not-repeatable', 'there is no version 9 of workflow hello'],
    [{ body: '{"version":0}' }, 400, 'query-invalid', 'version must be an integer of 1 or more'],
    [{ body: '{"version":"x"}' }, 400, 'query-invalid', 'version must be an integer of 1 or more'],
    [{ body: '{"version":"1"}' }, 400, 'query-invalid', 'version must be an integer of 1 or more'],
    [{ body: '{"version":true}' }, 400, 'query-invalid', 'version must be an integer of 1 or more'],
    [{ body: '{"version":1.5}' }, 400, 'query-invalid', 'version must be an integer of 1 or more'],
    [{ body: '{"version":[1]}' }, 400, 'query-invalid', 'version must be an integer of 1 or more'],
    [
      { rawQueryString: 'version=1e0', body: undefined },
      400,
      'query-invalid',
      'version must be an integer of 1 or more',
    ],
    [
      { rawQueryString: 'version=%201', body: undefined },
      400,
      'query-invalid',
      'version must be an integer of 1 or more',
    ],
    [
      { rawQueryString: 'version=9', body: undefined },
      409,
      'request-not-repeatable',
      'there is no version 9 of workflow hello',
    ],
    [{ headers: { 'content-type': 'text/plain' } }, 415, 'content-type-unsupported', 'application/json'],
    [{ body: '{"to":1}' }, 400, 'query-invalid', 'unknown option'],
    [{ body: '{' }, 400, 'body-invalid', 'not valid JSON'],
    [{ body: '{"input":1}' }, 400, 'query-invalid', 'input must be a JSON object'],
    [{ body: '{"input":{"path":"/x"}}' }, 400, 'query-invalid', 'input.path is not a part of a request'],
    [{ body: '{"input":{"query":1}}' }, 400, 'query-invalid', 'input.query must be a string'],
    [{ body: '{"input":{"headers":{"a b":"1"}}}' }, 400, 'query-invalid', 'input.headers must be up to'],
    [{ body: '{"input":{"headers":{"a":1}}}' }, 400, 'query-invalid', 'input.headers must be up to'],
    [
      { body: '{"input":{"headers":{"content-type":"application/json"},"body":"{"}}' },
      400,
      'body-invalid',
      'not valid JSON',
    ],
    [
      { pathParameters: { id: 'hello.r20231114T2213-07' } },
      404,
      'request-not-found',
      'There is no recorded request',
    ],
  ])('refuses %j', async (changes, status, code, message) => {
    const { lambda } = await aService();
    const result = await again(changes);
    expect(result).toMatchObject(aProblem(status, code));
    expect(result.body).toContain(message);
    expect(lambda.received).toEqual([]);
  });

  test('sends an edited request, and records what was edited and by whom', async () => {
    const { executions } = await aService();
    const { requestContext } = JSON.parse(
      readFileSync(new URL('../../events/adminSendAgain.json', import.meta.url), 'utf8'),
    );
    const input = {
      body: { n: 2 },
      headers: { 'X-New': 'yes', 'content-type': 'application/json' },
      query: 'a=2',
    };
    const result = await again({
      body: JSON.stringify({ input }),
      requestContext: { ...requestContext, authorizer: { iam: { userArn: 'arn:aws:iam::1:user/ada' } } },
    });
    const { executionId } = bodyOf(result);
    const data = await executions.findData(executionId);
    expect(JSON.parse(data?.input?.slice(1) ?? '')).toMatchObject({
      body: { n: 2 },
      headers: { 'x-new': 'yes' },
      queryParams: { a: '2' },
    });
    const { editedInput } = (await executions.find(executionId)) ?? {};
    expect(editedInput).toMatchObject({ by: 'arn:aws:iam::1:user/ada' });
    expect(editedInput?.changes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: '/headers/x-new', to: 'yes' }),
        expect.objectContaining({ path: '/query', to: 'a=2' }),
      ]),
    );
  });

  test('refuses other methods', async () => {
    await aService();
    const { requestContext } = JSON.parse(
      readFileSync(new URL('../../events/adminSendAgain.json', import.meta.url), 'utf8'),
    );
    const http = { ...requestContext.http, method: 'GET' };
    expect(await again({ requestContext: { ...requestContext, http } })).toMatchObject(
      aProblem(405, 'method-not-allowed'),
    );
  });
});
