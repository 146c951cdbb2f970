import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import {
  openCancel,
  openEditedRetry,
  openExecutions,
  openShowExecution,
} from '../../lib/app/compose/admin.ts';
import {
  createCancelExecution,
  createListExecutions,
  createRetryExecution,
  createShowExecution,
} from '../../lib/app/executions.ts';
import type { ExecutionStart, ExecutionStore } from '../../lib/executions/record/execution-store.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { aLocalServer, type LocalServer, type Routes } from '../support/a-local-server.ts';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { aLease, anExecutionEnd, anExecutionStart } from '../support/a-start.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';
import { checked } from '../support/checked-answers.ts';
import { environmentOf, type LocalValues } from '../support/function-environment.ts';
import { useTestDatabases } from '../support/test-database.ts';

type Handler = (event: unknown, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;
type Name = 'adminExecutions' | 'adminExecution' | 'adminRetryExecution' | 'adminCancelExecution';

const openDatabase = useTestDatabases();
const before = { ...process.env };
const servers: LocalServer[] = [];
/** Endpoints of this machine, for the functions that are called next. */
let endpoints: LocalValues = {};

afterEach(async () => {
  process.env = { ...before };
  for (const server of servers.splice(0)) await server.close();
});

const handlers: Record<Name, () => unknown> = {
  adminExecutions: () => createListExecutions(openExecutions()),
  adminExecution: () => createShowExecution(openShowExecution()),
  adminRetryExecution: () => createRetryExecution(openEditedRetry(installedPlugins)),
  adminCancelExecution: () => createCancelExecution(openCancel()),
};
const names = Object.keys(handlers) as Name[];

const eventOf = (name: Name) =>
  JSON.parse(readFileSync(new URL(`../../events/${name}.json`, import.meta.url), 'utf8'));
const { executionId: SAMPLE_ID } = eventOf('adminExecution').pathParameters;

/** The function as Lambda has it, with its own environment, stores and callers. */
const call = (name: Name, changes: Record<string, unknown> = {}) => {
  process.env = { ...before, ...environmentOf(name, endpoints) };
  const event = { ...eventOf(name), rawQueryString: '', ...changes };
  return checked(handlers[name]() as Handler)(event, { awsRequestId: 'lambda-1' } as Context);
};

const DURABLE = '/2015-03-31/functions/hookloom-dev-runDurable%3Adurable/invocations';
const EXPRESS = '/2015-03-31/functions/hookloom-dev-runExpress/invocations';
const ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:test-runDurable:1/durable-execution/x/y';
const STOP = `/2025-12-01/durable-executions/${encodeURIComponent(ARN)}/stop`;

/** Lambda, as far as these functions call it. */
const aLambda = async (status = 202): Promise<LocalServer> => {
  const answer: Routes[string] = (_request, response) => {
    response.writeHead(status).end('{}');
  };
  const server = await aLocalServer({ [DURABLE]: answer, [EXPRESS]: answer, [STOP]: answer });
  servers.push(server);
  endpoints = { ...endpoints, AWS_ENDPOINT_URL_LAMBDA: server.origin };
  return server;
};

const aService = async () => {
  const { client, tables, endpoint } = await openDatabase();
  endpoints = { DYNAMODB_ENDPOINT: endpoint };
  return {
    executions: createExecutionStore(client, tables, { retentionDays: 30, clock: systemClock }),
    workflows: createWorkflowStore(client, tables, systemClock),
    lambda: await aLambda(),
  };
};

const T0 = Date.now() - 60_000;

const aStart = (executionId: string, changes: Partial<ExecutionStart> = {}): ExecutionStart =>
  anExecutionStart({
    executionId,
    workflowId: 'greeting',
    workflowVersion: 1,
    trigger: { nodeId: 'request', type: 'webhookTrigger' },
    startedAt: T0,
    ...changes,
  });

const idsOf = (result: APIGatewayProxyStructuredResultV2): string[] =>
  bodyOf(result).executions.map(({ executionId }: { executionId: string }) => executionId);

const invalid = (parameter: string) => ({
  ...aProblem(400, 'query-invalid'),
  body: expect.stringContaining(parameter),
});

describe('GET /api/admin/executions', () => {
  test('answers its sample event', async () => {
    const { executions } = await aService();
    await executions.start(aStart('e-1', { workflowId: 'hello' }));
    await executions.finish('e-1', anExecutionEnd({ endedAt: T0 + 250 }));
    const result = await call('adminExecutions', eventOf('adminExecutions'));
    expect(result).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    });
    expect(bodyOf(result)).toEqual({
      count: 1,
      executions: [
        {
          executionId: 'e-1',
          workflowId: 'hello',
          workflowVersion: 1,
          mode: 'durable',
          status: 'succeeded',
          startedAt: new Date(T0).toISOString(),
          endedAt: new Date(T0 + 250).toISOString(),
          durationMs: 250,
        },
      ],
      nextCursor: null,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
  });

  /** Of two workflows, one of which was removed: a-0 b-1 a-2 b-3, from the earliest to the latest. */
  const aHistory = async (
    executions: ExecutionStore,
    workflows: Awaited<ReturnType<typeof aService>>['workflows'],
  ) => {
    for (const id of ['a', 'b']) await workflows.put(aWorkflow({ id }), []);
    await workflows.remove('b');
    for (const [at, id] of ['a', 'b', 'a', 'b'].entries()) {
      await executions.start(aStart(`${id}-${at}`, { workflowId: id, startedAt: T0 + at }));
    }
    await executions.finish('a-0', anExecutionEnd({ status: 'failed', endedAt: T0 + 9 }));
    await executions.finish('b-1', anExecutionEnd({ status: 'timedOut', endedAt: T0 + 9 }));
  };

  test('lists the latest of all workflows first, including removed ones', async () => {
    const { executions, workflows } = await aService();
    await aHistory(executions, workflows);
    expect(idsOf(await call('adminExecutions'))).toEqual(['b-3', 'a-2', 'b-1', 'a-0']);
  });

  test('continues where the previous page ended', async () => {
    const { executions, workflows } = await aService();
    await aHistory(executions, workflows);
    const first = await call('adminExecutions', { rawQueryString: 'limit=3' });
    expect(idsOf(first)).toEqual(['b-3', 'a-2', 'b-1']);
    const { nextCursor } = bodyOf(first);
    const second = await call('adminExecutions', { rawQueryString: `limit=3&cursor=${nextCursor}` });
    expect(idsOf(second)).toEqual(['a-0']);
    expect(bodyOf(second).nextCursor).toBeNull();
    expect(
      await call('adminExecutions', { rawQueryString: `workflowId=a&cursor=${nextCursor}` }),
    ).toMatchObject(invalid('cursor'));
  });

  test.each([
    ['workflowId=a', ['a-2', 'a-0']],
    ['status=failed', ['a-0']],
    ['status=failed,timedOut', ['b-1', 'a-0']],
    ['status=failed%2C%20accepted', ['b-3', 'a-2', 'a-0']],
    ['workflowId=b&status=accepted', ['b-3']],
    [`from=${T0 + 2}`, ['b-3', 'a-2']],
    [`to=${T0 + 1}`, ['b-1', 'a-0']],
    [`from=${new Date(T0 + 1).toISOString()}&to=${new Date(T0 + 2).toISOString()}`, ['a-2', 'b-1']],
    ['from=2000-01-01&to=2000-01-02', []],
    ['workflowId=nobody', []],
    ['workflowId=&status=&limit=&cursor=', ['b-3', 'a-2', 'b-1', 'a-0']],
  ])('?%s filters', async (rawQueryString, ids) => {
    const { executions, workflows } = await aService();
    await aHistory(executions, workflows);
    const result = await call('adminExecutions', { rawQueryString });
    expect(idsOf(result)).toEqual(ids);
    expect(bodyOf(result).count).toBe(ids.length);
  });

  test.each([
    [
      'workflow=a',
      'unknown parameter \\"workflow\\", expected one of workflowId, status, trial, request, failureNode, failureName, bulkRetryId, from, to, limit, cursor, key',
    ],
    ['limit=1&limit=2', 'limit is given twice'],
    ['limit=&limit=2', 'limit is given twice'],
    ['workflowId=a%2Fb', 'workflowId'],
    [`workflowId=${'x'.repeat(65)}`, 'workflowId'],
    [
      'status=done',
      'status must be one of accepted, running, waiting, succeeded, failed, cancelled, timedOut',
    ],
    ['status=failed,', 'status'],
    ['status=Failed', 'status'],
    ['limit=0', 'limit must be an integer from 1 to 100'],
    ['limit=101', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=-1', 'limit'],
    ['from=yesterday', 'from must be a time'],
    ['from=2026-01-31T09:00', 'from'],
    ['from=2026-02-30', 'from'],
    ['from=2026-13-01', 'from'],
    ['from=2026-02-30T10:00:00Z', 'from'],
    ['from=2026-02-01T10:00:00%2B24:00', 'from'],
    ['from=-1', 'from'],
    ['to=999999999999999', 'to must be a time'],
    ['to=1960-01-01', 'to'],
    ['to=1e3', 'to'],
    ['from=2&to=1', 'from must not be later than to'],
    ['cursor=abc', 'cursor'],
    ['cursor=%00', 'cursor'],
  ])('?%s is a 400 that says what is wrong', async (rawQueryString, message) => {
    await aService();
    expect(await call('adminExecutions', { rawQueryString })).toMatchObject(invalid(message));
  });
});

describe('GET /api/admin/executions/{executionId}', () => {
  test('answers its sample event, without internal fields of the record', async () => {
    const { executions } = await aService();
    await executions.start(
      aStart(SAMPLE_ID, { input: 'j{"hidden":1}', callbackKey: 'hidden', retriedCheckpoints: 'jhidden' }),
    );
    await executions.acquireLease(SAMPLE_ID, aLease({ leaseOwner: ARN, leaseExpiresAt: T0 }));
    await executions.openCallback(SAMPLE_ID, 'approve/0/0', { callbackId: 'hidden', expiresAt: T0 });
    const result = await call('adminExecution');
    expect(result.statusCode).toBe(200);
    expect(bodyOf(result)).toEqual({
      executionId: SAMPLE_ID,
      failedItems: 0,
      cost: null,
      editedInput: null,
      retriedBy: null,
      workflowId: 'greeting',
      workflowVersion: 1,
      mode: 'durable',
      status: 'running',
      startedAt: new Date(T0).toISOString(),
      endedAt: null,
      durationMs: null,
      trigger: { nodeId: 'request', type: 'webhookTrigger' },
      requestId: null,
      retryOf: null,
      leaseOwner: ARN,
      invocations: 1,
      crashes: 0,
      failure: null,
      nodes: [],
      nodesOmitted: 0,
      reasonsOmitted: 0,
    });
    expect(result.body).not.toContain('hidden');
  });

  test('finishes an execution whose process is lost', async () => {
    const { executions } = await aService();
    const start = { mode: 'inline', status: 'running', startedAt: T0 - 15 * 60_000 } as const;
    await executions.start(aStart(SAMPLE_ID, start));
    expect(bodyOf(await call('adminExecution'))).toMatchObject({
      status: 'failed',
      failure: { name: 'ProcessLost' },
    });
    expect(await executions.find(SAMPLE_ID)).toMatchObject({ status: 'failed' });
  });
});

describe('reasons and comparisons', () => {
  const COMPARISON = 'GET /api/admin/executions/{executionId}/comparison';

  /** Two executions of a branch, which began with the first version; then the workflow was changed. */
  const aPair = async () => {
    const { executions, workflows } = await aService();
    const big = { id: 'big', type: 'if', parameters: { condition: '{{ body.total > 100 }}' } };
    const connections = [{ sourceNodeId: 'request', targetNodeId: 'big' }];
    await workflows.put(aWorkflow({ id: 'greeting', nodes: [aTrigger(), big], connections }), []);
    await workflows.put(aWorkflow({ id: 'greeting', name: 'Changed' }), []);
    for (const [id, total] of Object.entries({ [SAMPLE_ID]: 99.5, 'e-2': 120 })) {
      const input = { body: { total } };
      const times = { iteration: 0, attempts: 1, startedAt: T0, durationMs: 1 };
      const node = { nodeId: 'big', type: 'if', status: 'succeeded', ...times } as const;
      await executions.start(aStart(id));
      const nodes = [{ ...node, input, outputs: { [String(total > 100)]: input } }];
      await executions.finish(id, anExecutionEnd({ endedAt: T0 + 9, nodes }));
    }
    return { executions };
  };
  const compare = (rawQueryString: string) =>
    call('adminExecution', { routeKey: COMPARISON, rawQueryString });

  test('a record has reasons from the version that it ran', async () => {
    await aPair();
    expect(bodyOf(await call('adminExecution')).nodes[0].why).toEqual({
      text: 'gave false: body.total 99.5 > 100',
      expression: 'body.total > 100',
      values: [{ path: 'body.total', value: 99.5 }],
      result: false,
    });
  });

  test('a comparison is with the last success, or the execution that is named', async () => {
    await aPair();
    const result = await compare('');
    expect(result.statusCode).toBe(200);
    expect(bodyOf(result)).toMatchObject({
      from: { executionId: 'e-2' },
      to: { executionId: SAMPLE_ID },
      counts: { same: 0, different: 1 },
      nodes: [{ nodeId: 'big', differs: ['branch', 'data'] }],
    });
    expect(bodyOf(await compare(`with=${SAMPLE_ID}`))).toMatchObject({ counts: { same: 1, different: 0 } });
  });

  test('a comparison that is impossible is a problem that says why', async () => {
    const { executions } = await aPair();
    await executions.start(aStart('e-9', { workflowId: 'mail' }));
    expect(await compare('with=none')).toMatchObject(aProblem(404, 'execution-not-found'));
    expect(await compare('with=e-9')).toMatchObject(aProblem(422, 'executions-not-comparable'));
    expect(await compare('to=e-2')).toMatchObject(invalid('to'));
    const alone = { routeKey: COMPARISON, pathParameters: { executionId: 'e-9' } };
    expect(await call('adminExecution', alone)).toMatchObject(aProblem(404, 'success-not-found'));
  });
});

describe('POST /api/admin/executions/{executionId}/retry', () => {
  const anEnded = async () => {
    const service = await aService();
    const { executions, workflows } = service;
    const fails = { id: 'fetch', type: 'httpRequest', parameters: { url: 'https://example.com' } };
    const definition = aWorkflow({
      nodes: [aTrigger(), fails],
      connections: [{ sourceNodeId: 'request', targetNodeId: 'fetch' }],
    });
    await workflows.put(definition, []);
    await executions.start(aStart(SAMPLE_ID));
    await executions.finish(
      SAMPLE_ID,
      anExecutionEnd({ status: 'failed', endedAt: T0 + 1, checkpoints: 'j{}' }),
    );
    return { ...service, definition };
  };

  test('answers its sample event: a new execution, dispatched to the durable engine under its id', async () => {
    const { executions, lambda } = await anEnded();
    const result = await call('adminRetryExecution');
    expect(result.statusCode).toBe(202);
    const { executionId, ...rest } = bodyOf(result);
    expect(rest).toEqual({
      retryOf: SAMPLE_ID,
      workflowId: 'greeting',
      workflowVersion: 1,
      status: 'accepted',
    });
    expect(await executions.find(executionId)).toMatchObject({
      status: 'accepted',
      mode: 'durable',
      retryOf: { executionId: SAMPLE_ID, fromNodeId: null },
    });
    expect(await executions.findData(executionId)).toMatchObject({ input: 'j{"body":1}' });
    expect(lambda.received).toMatchObject([
      {
        url: DURABLE,
        headers: { 'x-amz-invocation-type': 'Event', 'x-amz-durable-execution-name': executionId },
        body: JSON.stringify({ executionId }),
      },
    ]);
  });

  test('dispatches an express run where the version of the workflow asks for one', async () => {
    const { workflows, lambda, definition } = await anEnded();
    await workflows.put({ ...definition, settings: { execution: 'express' } }, []);
    const result = await call('adminRetryExecution', { body: '{"version":"current"}' });
    expect(bodyOf(result)).toMatchObject({ workflowVersion: 2 });
    expect(lambda.received).toMatchObject([{ url: EXPRESS }]);
  });

  test.each<[string, Record<string, unknown>, string | null]>([
    ['an empty body', { body: undefined }, null],
    ['an empty map', { body: '{}' }, null],
    ['a node in the body', { body: '{"from":"fetch"}' }, 'fetch'],
    ['a node in the query', { body: undefined, rawQueryString: 'from=fetch&version=recorded' }, 'fetch'],
    ['a node in the query and the version in the body', { rawQueryString: 'from=fetch' }, 'fetch'],
    ['a body in base64', { body: btoa('{"from":"fetch"}'), isBase64Encoded: true }, 'fetch'],
    ['null for the node', { body: '{"from":null}' }, null],
  ])('accepts %s', async (_what, changes, fromNodeId) => {
    const { executions } = await anEnded();
    const result = await call('adminRetryExecution', changes);
    expect(result.statusCode).toBe(202);
    const { executionId } = bodyOf(result);
    expect(await executions.find(executionId)).toMatchObject({
      retryOf: { executionId: SAMPLE_ID, fromNodeId },
    });
    expect(await executions.findData(executionId)).toMatchObject({
      retriedCheckpoints: fromNodeId === null ? null : 'j{}',
    });
  });

  test.each<[Record<string, unknown>, number, string, string]>([
    [{ body: '{' }, 400, 'body-invalid', 'not valid JSON'],
    [{ body: '[]' }, 400, 'body-invalid', 'it must be a JSON object'],
    [{ headers: { 'content-type': 'text/plain' } }, 415, 'content-type-unsupported', 'application/json'],
    [{ headers: {} }, 415, 'content-type-unsupported', 'application/json'],
    [{ body: '"fetch"' }, 400, 'body-invalid', 'it must be a JSON object'],
    [{ body: `{"from":${'['.repeat(102)}${']'.repeat(102)}}` }, 400, 'body-too-deep', 'levels'],
    [
      { body: '{"form":"fetch"}' },
      400,
      'query-invalid',
      'unknown option \\"form\\", expected from or only or version or input',
    ],
    [{ body: '{"from":1}' }, 400, 'query-invalid', 'from must be a string'],
    [{ body: '{"version":2}' }, 400, 'query-invalid', 'version must be a string'],
    [{ body: '{"version":"latest"}' }, 400, 'query-invalid', 'version must be one of recorded, current'],
    [{ body: '{"input":[]}' }, 400, 'query-invalid', 'input must be a JSON object'],
    [{ body: '{"input":{},"from":"fetch"}' }, 400, 'query-invalid', 'leave out from'],
    [{ body: '{"input":{"__proto__":{}}}' }, 400, 'body-invalid', 'a key that is not allowed'],
    [{ body: '{"input":{"body":"[redacted]","x":"[redacted]"}}' }, 400, 'body-invalid', '/input/x contains'],
    [{ body: `{"input":{"body":"${'x'.repeat(6_300_000)}"}}` }, 413, 'body-too-large', '6291456'],
    [{ rawQueryString: 'version=current' }, 400, 'query-invalid', 'version is given twice'],
    [{ rawQueryString: 'node=fetch' }, 400, 'query-invalid', 'unknown parameter \\"node\\"'],
    [{ body: '{"from":"nobody"}' }, 409, 'not-retryable', 'no node \\"nobody\\"'],
    [{ body: '{"from":""}' }, 409, 'not-retryable', 'no node \\"\\"'],
  ])('refuses %j', async (changes, status, code, message) => {
    const { lambda, executions } = await anEnded();
    const result = await call('adminRetryExecution', changes);
    expect(result).toMatchObject(aProblem(status, code));
    expect(result.body).toContain(message);
    expect(lambda.received).toEqual([]);
    expect((await executions.list({ workflowId: 'greeting', limit: 10 })).executions).toHaveLength(1);
  });

  const CALLER = 'arn:aws:sts::123456789012:assumed-role/operators/ada';
  const byCaller = (body: unknown) => {
    const { requestContext } = eventOf('adminRetryExecution');
    const authorizer = { iam: { userArn: CALLER } };
    return { body: JSON.stringify(body), requestContext: { ...requestContext, authorizer } };
  };

  test('takes an edited input, and records what was edited and by whom', async () => {
    const { executions } = await anEnded();
    const { executionId } = bodyOf(
      await call('adminRetryExecution', byCaller({ input: { body: { n: 2 } } })),
    );
    expect((await executions.findData(executionId))?.input).toBe('j{"body":{"n":2}}');
    const shown = async (id: string) =>
      bodyOf(await call('adminExecution', { pathParameters: { executionId: id } }));
    expect(await shown(executionId)).toMatchObject({
      retryOf: { executionId: SAMPLE_ID, fromNodeId: null },
      editedInput: { by: CALLER, changes: [{ path: '/body', from: 1, to: { n: 2 } }] },
      retriedBy: null,
    });
    expect(await shown(SAMPLE_ID)).toMatchObject({ editedInput: null, retriedBy: executionId });
  });

  test('stores an edited input that is too large for its item as a blob, which a retry of the retry can edit', async () => {
    const { executions } = await anEnded();
    const folder = mkdtempSync(join(tmpdir(), 'hookloom-blobs-'));
    endpoints = { ...endpoints, BLOB_FOLDER: folder };
    try {
      const body = randomBytes(20_000).toString('hex');
      const { executionId } = bodyOf(await call('adminRetryExecution', byCaller({ input: { body } })));
      const { input = null } = (await executions.findData(executionId)) ?? {};
      expect(input).toBe(`bexecutions/brief/${executionId}/input`);
      await executions.finish(executionId, anExecutionEnd({ status: 'failed' }));
      const again = await call('adminRetryExecution', {
        ...byCaller({ input: { note: 'x' } }),
        pathParameters: { executionId },
      });
      const { executionId: second } = bodyOf(again);
      expect(await executions.find(second)).toMatchObject({
        editedInput: { changes: [{ path: '/note', to: 'x' }] },
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.each<[JsonObject, unknown, number, string, string]>([
    [
      { schema: { type: 'object', required: ['id'] } },
      { total: 1 },
      400,
      'body-schema-mismatch',
      '"pointer":"#/input/body',
    ],
    [{ onlyIf: 'body.n > 5' }, { n: 1 }, 409, 'not-retryable', 'without an execution'],
    [{ onlyIf: 'body.n > 5' }, { n: 6 }, 202, '', 'accepted'],
    [{ schema: { type: 'object', required: ['id'] } }, { id: 1 }, 202, '', 'accepted'],
  ])('checks an edited input as a webhook with %j checks %j', async (rules, body, status, code, text) => {
    const { workflows, definition } = await anEnded();
    await workflows.put({ ...definition, nodes: [aTrigger(rules), ...definition.nodes.slice(1)] }, []);
    const result = await call('adminRetryExecution', byCaller({ version: 'current', input: { body } }));
    expect(result).toMatchObject(status === 202 ? { statusCode: 202 } : aProblem(status, code));
    expect(result.body).toContain(text);
  });

  test('checks an edited input by the schema of a manual trigger', async () => {
    const { workflows, definition } = await anEnded();
    const [{ id = '' } = {}, ...others] = definition.nodes;
    const schema = { type: 'object', required: ['id'] };
    await workflows.put(
      { ...definition, nodes: [{ id, type: 'manualTrigger', parameters: { schema } }, ...others] },
      [],
    );
    const edit = (input: JsonObject) => call('adminRetryExecution', byCaller({ version: 'current', input }));
    const refused = await edit({ total: 1 });
    expect(refused).toMatchObject(aProblem(400, 'body-schema-mismatch'));
    expect(refused.body).toContain('"pointer":"#/input"');
    expect(await edit({ id: 1 })).toMatchObject({ statusCode: 202 });
  });

  const keyed = (key: string, body = '{}') => ({
    headers: { 'idempotency-key': key, 'content-type': 'application/json' },
    body,
  });

  test('starts one execution for all requests with an Idempotency-Key, also at once', async () => {
    const { executions } = await anEnded();
    const results = await Promise.all([1, 2, 3].map(() => call('adminRetryExecution', keyed('k'))));
    const bodies = [...results, await call('adminRetryExecution', keyed('k'))].map(bodyOf);
    expect(results.map(({ statusCode }) => statusCode)).toEqual([202, 202, 202]);
    expect(new Set(bodies.map(({ executionId }) => executionId)).size).toBe(1);
    expect(bodies.filter(({ duplicate }) => duplicate === true)).toHaveLength(3);
    expect(bodies.at(-1)).toMatchObject({ retryOf: SAMPLE_ID, status: 'accepted', duplicate: true });
    await call('adminRetryExecution', keyed('another'));
    expect((await executions.list({ workflowId: 'greeting', limit: 10 })).executions).toHaveLength(3);
  });

  test.each([
    ['{}', '{"version":"current"}'],
    ['{}', '{"from":"fetch"}'],
    ['{}', '{"input":{"body":2}}'],
    ['{"input":{"body":2}}', '{"input":{"body":3}}'],
  ])('refuses the key of a request with the body %j for %s', async (first, second) => {
    const { executions } = await anEnded();
    const { executionId } = bodyOf(await call('adminRetryExecution', keyed('k', first)));
    const result = await call('adminRetryExecution', keyed('k', second));
    expect(result).toMatchObject(aProblem(422, 'delivery-key-reused'));
    expect(result.body).toContain(executionId);
    expect((await executions.list({ workflowId: 'greeting', limit: 10 })).executions).toHaveLength(2);
  });

  test('with a key that Lambda refused is dispatched by the next request with it', async () => {
    const { executions } = await anEnded();
    const refusing = await aLambda(429);
    expect(await call('adminRetryExecution', keyed('k'))).toMatchObject(aProblem(503, 'dispatch-refused'));
    const lambda = await aLambda(202);
    const { executionId, duplicate } = bodyOf(await call('adminRetryExecution', keyed('k')));
    expect([duplicate, lambda.received.length, refusing.received.length > 0]).toEqual([true, 1, true]);
    expect(await executions.find(SAMPLE_ID)).toMatchObject({ retriedBy: executionId });
    expect((await executions.list({ workflowId: 'greeting', limit: 10 })).executions).toHaveLength(2);
  });

  test('does not name an earlier retry again when its request is repeated after another one', async () => {
    const { executions } = await anEnded();
    await call('adminRetryExecution', keyed('k'));
    const { executionId } = bodyOf(await call('adminRetryExecution'));
    await call('adminRetryExecution', keyed('k'));
    expect(await executions.find(SAMPLE_ID)).toMatchObject({ retriedBy: executionId });
  });

  test('is a 503 with Retry-After when Lambda refuses it, and leaves nothing behind', async () => {
    const { executions } = await anEnded();
    await aLambda(429);
    const result = await call('adminRetryExecution');
    expect(result).toMatchObject(aProblem(503, 'dispatch-refused'));
    expect(result.headers).toMatchObject({ 'retry-after': '2' });
    expect((await executions.list({ workflowId: 'greeting', limit: 10 })).executions).toHaveLength(1);
  });
});

describe('answers its sample event and stops the durable execution', () => {
  test('answers its sample event, and stops the durable execution', async () => {
    const { executions, lambda } = await aService();
    await executions.start(aStart(SAMPLE_ID));
    await executions.acquireLease(SAMPLE_ID, aLease({ leaseOwner: ARN, leaseExpiresAt: T0 }));
    const result = await call('adminCancelExecution');
    expect([result.statusCode, bodyOf(result)]).toEqual([
      200,
      { executionId: SAMPLE_ID, status: 'cancelled' },
    ]);
    expect(lambda.received).toMatchObject([{ url: STOP }]);
    expect(bodyOf(await call('adminExecution'))).toMatchObject({
      status: 'cancelled',
      failure: { name: 'Cancelled', message: 'cancelled by an operator' },
    });
  });

  test('is a 409 the second time, with the status', async () => {
    const { executions } = await aService();
    await executions.start(aStart(SAMPLE_ID));
    await call('adminCancelExecution');
    const result = await call('adminCancelExecution');
    expect(result).toMatchObject(aProblem(409, 'not-cancellable'));
    expect(result.body).toContain('it has already ended, with the status cancelled');
  });

  test('succeeds when Lambda does not respond', async () => {
    const { executions } = await aService();
    await aLambda(403);
    await executions.start(aStart(SAMPLE_ID));
    await executions.acquireLease(SAMPLE_ID, aLease({ leaseOwner: ARN, leaseExpiresAt: T0 }));
    expect(await call('adminCancelExecution')).toMatchObject({ statusCode: 200 });
    expect(await executions.find(SAMPLE_ID)).toMatchObject({ status: 'cancelled' });
  });
});

describe('every endpoint for executions', () => {
  const withId = names.filter((name) => name !== 'adminExecutions');
  const withMethod = (name: Name, method: string) => {
    const { requestContext } = eventOf(name);
    return { requestContext: { ...requestContext, http: { ...requestContext.http, method } } };
  };

  test.each(
    withId.flatMap((name) =>
      [SAMPLE_ID, '', '..', 'a b', 'x'.repeat(65), 7, undefined].map((id) => [name, id] as const),
    ),
  )('%s of %j, which is not an execution, is a 404', async (name, executionId) => {
    await aService();
    const result = await call(name, { pathParameters: { executionId } });
    expect(result).toMatchObject(aProblem(404, 'execution-not-found'));
  });

  test('is a 404 without path parameters too', async () => {
    await aService();
    for (const name of withId) {
      expect(await call(name, { pathParameters: undefined })).toMatchObject(
        aProblem(404, 'execution-not-found'),
      );
    }
  });

  test.each(
    names.flatMap((name) => ['PUT', 'DELETE', 'OPTIONS', 'get'].map((method) => [name, method] as const)),
  )('%s refuses %s, with Allow', async (name, method) => {
    await aService();
    const result = await call(name, withMethod(name, method));
    expect(result).toMatchObject(aProblem(405, 'method-not-allowed'));
    expect(result.headers).toMatchObject({
      allow: name.includes('Executions') || name === 'adminExecution' ? 'GET, HEAD' : 'POST',
    });
  });

  test('changes nothing on GET where POST is required', async () => {
    const { executions } = await aService();
    await executions.start(aStart(SAMPLE_ID));
    const result = await call('adminCancelExecution', withMethod('adminCancelExecution', 'GET'));
    expect(result.statusCode).toBe(405);
    expect(await executions.find(SAMPLE_ID)).toMatchObject({ status: 'accepted' });
  });

  test.each(['adminExecution', 'adminCancelExecution'] as const)('%s accepts no parameters', async (name) => {
    await aService();
    expect(await call(name, { rawQueryString: 'force=1' })).toMatchObject(invalid('unknown parameter'));
  });

  test.each(names)('%s is a 503 with Retry-After while the store is unavailable', async (name) => {
    const broken = await aLocalServer({ '/': (_request, response) => response.writeHead(500).end('{}') });
    servers.push(broken);
    endpoints = { DYNAMODB_ENDPOINT: broken.origin };
    const result = await call(name);
    expect(result).toMatchObject(aProblem(503, 'store-unavailable'));
    expect(result.headers).toMatchObject({ 'retry-after': '2' });
  });
});
