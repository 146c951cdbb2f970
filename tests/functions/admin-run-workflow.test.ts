import { readFileSync } from 'node:fs';
import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createRunWorkflow } from '../../lib/app/run-workflow.ts';
import { describeExecution } from '../../lib/executions/record/describe-execution.ts';
import { STORE_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { anEventService, inMemoryStores } from '../support/a-queue-trigger.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';
import { checked } from '../support/checked-answers.ts';
import { inMemoryExecutionStore } from '../support/in-memory-stores.ts';

const event = JSON.parse(
  readFileSync(new URL('../../events/adminRunWorkflow.json', import.meta.url), 'utf8'),
);

const manual = { id: 'start', type: 'manualTrigger', parameters: {} };
const express = { execution: 'express', recordData: 'always' } as const;

const greeting = (changes: Partial<WorkflowDefinition> = {}) =>
  aWorkflow({
    nodes: [manual, { id: 'greet', type: 'set', parameters: { values: { greeting: 'Hello, {{ name }}' } } }],
    connections: [{ sourceNodeId: 'start', targetNodeId: 'greet' }],
    settings: express,
    ...changes,
  });

interface Call {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly workflowId?: string;
  readonly context?: Partial<Context>;
}

/** The function, and a workflow. @param dispatches - whether what it starts is run */
const aService = async (workflow: WorkflowDefinition | null = greeting(), { dispatches = true } = {}) => {
  const executions = inMemoryExecutionStore();
  const service = await anEventService({ stores: { ...inMemoryStores(), executions } });
  if (workflow !== null) await service.stores.workflows.put(workflow, []);
  const parts = {
    ...service.parts,
    ...(dispatches ? {} : { dispatcher: { dispatch: async () => {} } }),
    settings: { maxBodyBytes: 1_000, maxBodyDepth: 10 },
  };
  const call = (
    { query = '', headers = {}, body = event.body, workflowId = 'greeting', context = {} }: Call = {},
    changes: Partial<typeof parts> = {},
    more: object = {},
  ) =>
    checked(createRunWorkflow({ ...parts, ...changes }))(
      {
        ...event,
        rawQueryString: query,
        body,
        pathParameters: { workflowId },
        headers: { ...event.headers, ...headers },
        ...more,
      },
      context as Context,
    ) as Promise<APIGatewayProxyStructuredResultV2>;
  return { ...service, call, records: executions.records };
};

/** Of an event, for a request for a result. */
const aGet = (executionId: string) => {
  const path = `/api/admin/executions/${executionId}/result`;
  const { http } = event.requestContext;
  return {
    rawPath: path,
    requestContext: { ...event.requestContext, http: { ...http, method: 'GET', path } },
  };
};

const failing = greeting({
  nodes: [manual, { id: 'fail', type: 'stopAndError', parameters: { message: 'no {{ name }}' } }],
  connections: [{ sourceNodeId: 'start', targetNodeId: 'fail' }],
});

const wait = { prefer: 'wait=5' };

describe('POST /api/admin/workflows/{workflowId}/executions', () => {
  test.each(['Application/JSON; charset=utf-8', 'application/cloudevents+json'])(
    'accepts an input of the type %s',
    async (type) => {
      const { call } = await aService();
      expect(await call({ headers: { 'content-type': type } })).toMatchObject({ statusCode: 202 });
    },
  );

  test('starts the only trigger with the body as its input, marked as started by hand', async () => {
    const { call, records } = await aService();
    const answer = await call();
    expect(answer).toMatchObject({ statusCode: 202 });
    const { executionId } = bodyOf(answer);
    expect(bodyOf(answer)).toEqual({
      executionId: expect.any(String),
      workflowId: 'greeting',
      workflowVersion: 1,
      status: 'accepted',
    });
    const [record] = records();
    if (record === undefined) throw new Error('there is no record');
    expect(describeExecution(record)).toMatchObject({
      executionId,
      status: 'succeeded',
      trigger: { nodeId: 'start', type: 'manualTrigger', byHand: true },
    });
  });

  test('refuses an input that the schema of a manual trigger does not allow, with its places, and starts nothing', async () => {
    const schema = { type: 'object', properties: { name: { type: 'number' } } };
    const [, greet] = greeting().nodes;
    const nodes = [{ ...manual, parameters: { schema } }, greet];
    const { call, records } = await aService(greeting({ nodes } as never));
    const refused = await call();
    expect(refused).toMatchObject(aProblem(400, 'body-schema-mismatch'));
    expect(bodyOf(refused).errors).toEqual([
      { pointer: '#/name', detail: expect.stringContaining('number') },
    ]);
    expect(records()).toEqual([]);
    expect(await call({ body: '{"name":1}' })).toMatchObject({ statusCode: 202 });
  });

  test('names the wait only if it can be that long', async () => {
    const { call } = await aService();
    const context = { getRemainingTimeInMillis: () => 6_000 };
    const applied = async (prefer: string) =>
      (await call({ headers: { prefer }, context })).headers?.['preference-applied'];
    expect(await applied('wait=99999')).toBeUndefined();
    expect(await applied('wait=5')).toBe('wait=5');
  });

  test('waits for the result', async () => {
    const { call } = await aService();
    const answer = await call({ headers: wait });
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'preference-applied': 'wait=5' } });
    expect(bodyOf(answer)).toEqual({
      executionId: expect.any(String),
      workflowId: 'greeting',
      workflowVersion: 1,
      status: 'succeeded',
      output: { greeting: 'Hello, Ada' },
      response: null,
      failure: null,
    });
  });

  test('the result can be read later too, and only with GET', async () => {
    const { call, records } = await aService();
    await call({ headers: wait });
    const [{ executionId } = { executionId: '' }] = records();
    const read = (id: string, changes = {}) => {
      const routeKey = 'GET /api/admin/executions/{executionId}/result';
      const pathParameters = { executionId: id };
      return call({}, {}, { routeKey, pathParameters, body: undefined, ...aGet(id), ...changes });
    };
    expect(bodyOf(await read(executionId))).toEqual({
      executionId,
      workflowId: 'greeting',
      workflowVersion: 1,
      status: 'succeeded',
      output: { greeting: 'Hello, Ada' },
      response: null,
      failure: null,
    });
    expect(await read('nobody')).toMatchObject({ statusCode: 404 });
    expect(await read(executionId, { rawQueryString: 'full=1' })).toMatchObject({ statusCode: 400 });
  });

  test('the result of an execution that has not ended lacks an output', async () => {
    const { call, records } = await aService(greeting(), { dispatches: false });
    await call();
    const [{ executionId } = { executionId: '' }] = records();
    const routeKey = 'GET /api/admin/executions/{executionId}/result';
    const more = { routeKey, pathParameters: { executionId }, body: undefined, ...aGet(executionId) };
    expect(bodyOf(await call({}, {}, more))).toEqual({
      executionId,
      workflowId: 'greeting',
      workflowVersion: 1,
      status: 'accepted',
    });
  });

  test('returns the failure of a run that it waited for', async () => {
    const { call } = await aService(failing);
    const answer = await call({ headers: wait });
    expect([answer.statusCode, bodyOf(answer)]).toEqual([
      200,
      expect.objectContaining({
        status: 'failed',
        failure: expect.objectContaining({ nodeId: 'fail', message: 'no Ada' }),
      }),
    ]);
  });

  test('returns 202 when the result is not there in time', async () => {
    const { call, clock } = await aService(greeting(), { dispatches: false });
    const passing = { ...clock, sleep: async (ms: number) => clock.advance(ms) };
    const answer = await call({ headers: wait }, { clock: passing });
    expect([answer.statusCode, bodyOf(answer).status]).toEqual([202, 'accepted']);
    const context = { getRemainingTimeInMillis: () => 900 };
    expect(await call({ headers: wait, context })).toMatchObject({ statusCode: 202 });
  });

  test('returns 202 when the result cannot be read, since the execution was accepted', async () => {
    const { call, parts } = await aService();
    let isAccepted = false;
    const executions = {
      ...parts.executions,
      start: async (...args: Parameters<typeof parts.executions.start>) => {
        isAccepted = true;
        return parts.executions.start(...args);
      },
      find: async (executionId: string) => {
        if (isAccepted) throw new AppError(STORE_UNAVAILABLE, {});
        return parts.executions.find(executionId);
      },
    };
    expect(await call({ headers: wait }, { executions })).toMatchObject({ statusCode: 202 });
  });

  test('starts one execution per Idempotency-Key, and refuses another body under it', async () => {
    const { call, records } = await aService();
    const headers = { 'idempotency-key': '"7"' };
    const first = bodyOf(await call({ headers }));
    const answers = await Promise.all(Array.from({ length: 10 }, () => call({ headers })));
    expect(new Set(answers.map((answer) => bodyOf(answer).executionId))).toEqual(
      new Set([first.executionId]),
    );
    expect(bodyOf(await call({ headers: { ...headers, ...wait } }))).toMatchObject({
      executionId: first.executionId,
      duplicate: true,
      output: { greeting: 'Hello, Ada' },
    });
    expect(await call({ headers, body: '{"name":"Bob"}' })).toMatchObject(
      aProblem(422, 'delivery-key-reused'),
    );
    expect(records()).toHaveLength(1);
  });

  test('starts a webhook with the given parts of a request', async () => {
    const { call } = await aService(aWorkflow({ settings: express }));
    const answer = await call({ headers: wait, body: '{"body":{"name":"Ada"}}' });
    expect(bodyOf(answer)).toMatchObject({ status: 'succeeded', output: { greeting: 'Hello, Ada' } });
  });

  test.each([
    ['scheduleTrigger', { rate: '1 hour' }, {}, { triggerType: 'schedule', scheduledAt: expect.any(String) }],
    ['eventTrigger', { pattern: { source: ['a'] } }, { event: { id: '1' } }, { event: { id: '1' } }],
    [
      'queueTrigger',
      { queue: 'arn:aws:sqs:us-east-1:123456789012:orders' },
      { message: { body: 1 } },
      { message: { body: 1 } },
    ],
    ['errorTrigger', {}, { executionId: 'e-1' }, { triggerType: 'error', executionId: 'e-1' }],
  ])('starts a %s with an input of its shape', async (type, parameters, input, output) => {
    const nodes = [{ id: 'start', type, parameters: parameters as JsonObject }];
    const { call } = await aService(greeting({ nodes, connections: [] }));
    const answer = await call({ headers: wait, body: JSON.stringify(input) });
    expect(bodyOf(answer)).toMatchObject({ status: 'succeeded', output });
  });

  const both = greeting({
    nodes: [manual, aTrigger(), { ...manual, id: 'off', disabled: true }],
    connections: [],
  });

  test('starts the named trigger', async () => {
    const { call, records } = await aService(both);
    expect(await call({ query: 'trigger=request' })).toMatchObject({ statusCode: 202 });
    expect(records()[0]?.trigger).toEqual({ nodeId: 'request', type: 'webhookTrigger', byHand: true });
  });

  test.each<[string, number, string, string, WorkflowDefinition | null, Call]>([
    ['no such workflow', 404, 'workflow-not-found', 'There is no workflow greeting.', null, {}],
    ['what is no id', 404, 'workflow-not-found', 'with this id', null, { workflowId: '../a' }],
    [
      'a disabled workflow',
      409,
      'not-startable',
      'workflow enable greeting',
      greeting({ enabled: false }),
      {},
    ],
    [
      'none of several triggers',
      409,
      'not-startable',
      'start (manualTrigger), request (webhookTrigger)',
      both,
      {},
    ],
    [
      'no such trigger',
      409,
      'not-startable',
      'it has start (manualTrigger)',
      greeting(),
      { query: 'trigger=greet' },
    ],
    [
      'a disabled trigger',
      409,
      'not-startable',
      'no enabled trigger of that name',
      both,
      { query: 'trigger=off' },
    ],
    [
      'a workflow whose triggers are disabled',
      409,
      'not-startable',
      'no enabled trigger',
      greeting({ nodes: [{ ...manual, disabled: true }], connections: [] }),
      {},
    ],
    ['an input that is no object', 400, 'body-invalid', 'must be a JSON object', greeting(), { body: '[1]' }],
    ['an input that is not JSON', 400, 'body-invalid', 'not valid JSON', greeting(), { body: '{' }],
    ...[
      '',
      'text/plain',
      'application/x-www-form-urlencoded',
      'text/plain; a=application/json',
      'application/jsonp',
    ].map((type): [string, number, string, string, WorkflowDefinition, Call] => [
      `an input of the type "${type}"`,
      415,
      'content-type-unsupported',
      'content-type: application/json',
      greeting(),
      { headers: { 'content-type': type } },
    ]),
    ['an input too deep', 400, 'body-too-deep', '10 levels', greeting(), { body: '['.repeat(11) }],
    ['an input too large', 413, 'body-too-large', '1000 bytes', greeting(), { body: 'x'.repeat(1_001) }],
    ['another parameter', 400, 'query-invalid', 'node', greeting(), { query: 'node=start' }],
  ])('refuses %s', async (_what, status, type, detail, workflow, request) => {
    const { call, records } = await aService(workflow);
    const answer = await call(request);
    expect(answer).toMatchObject(aProblem(status, type));
    expect(bodyOf(answer).detail).toContain(detail);
    expect(records()).toEqual([]);
  });

  test('starts with an empty input without a body', async () => {
    const { call } = await aService();
    expect(bodyOf(await call({ headers: wait, body: '' }))).toMatchObject({ status: 'succeeded' });
  });
});
