import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { useWholeServices } from '../support/a-whole-service.ts';
import { poll } from '../support/poll.ts';

const startService = useWholeServices();

/** Locally, no signature is checked; the scope names the service. */
const SIGNED_FOR_SQS =
  'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=0';

/** Calls the service through its gateway. */
const aStage = async () => {
  const { baseUrl, sourcesEndpoint } = await startService();
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers };
    const answer = await fetch(`${baseUrl}${path}`, { method, ...sent });
    return { status: answer.status, body: (await answer.json()) as JsonObject };
  };
  const set = (name: string, value: unknown) => ask('PUT', `/api/admin/variables/${name}`, { value });
  const put = (id: string, nodes: readonly unknown[], more: JsonObject = {}) => {
    const ids = nodes.map((node) => (node as { id: string }).id);
    const connections = ids.slice(1).map((target, at) => ({ sourceNodeId: ids[at], targetNodeId: target }));
    return ask('PUT', `/api/admin/workflows/${id}`, { id, name: id, nodes, connections, ...more });
  };
  const call = async (id: string, body: unknown = {}) => ask('POST', `/api/webhook/${id}/in`, body);
  const ended = async (executionId: unknown) => {
    let found: JsonObject = {};
    await poll(async () => {
      found = (await ask('GET', `/api/admin/executions/${executionId}`)).body;
      return ['succeeded', 'failed'].includes(String(found.status));
    });
    return found;
  };
  const send = (name: string) =>
    fetch(sourcesEndpoint, {
      method: 'POST',
      headers: { authorization: SIGNED_FOR_SQS, 'x-amz-target': 'AmazonSQS.SendMessage' },
      body: JSON.stringify({ QueueUrl: `http://localhost/000000000000/${name}`, MessageBody: '{}' }),
    });
  const started = async (workflowId: string) => {
    const { body } = await ask('GET', `/api/admin/executions?workflowId=${workflowId}`);
    return Number(body.count);
  };
  return { ask, set, put, call, ended, send, started };
};

const trigger = (parameters: JsonObject = {}) => ({
  id: 'in',
  type: 'webhookTrigger',
  parameters: { path: '/in', ...parameters },
});
const values = (expressions: JsonObject, id = 'out') => ({
  id,
  type: 'set',
  parameters: { values: expressions, keepInput: false },
});

describe('$vars and $execution.stage', () => {
  test('are the values of the stage, in simple expressions and others, types kept', async () => {
    const { set, put, call } = await aStage();
    await set('region', 'eu-central-1');
    await set('limits', { max: 5, names: ['a', 'b'] });
    const expressions = {
      region: '{{ $vars.region }}',
      text: 'in {{ $vars.region }}',
      max: '{{ $vars.limits.max + 1 }}',
      names: '{{ $map($vars.limits.names, $uppercase) }}',
      any: '{{ $lookup($vars, body.name) }}',
      stage: '{{ $execution.stage }}',
    };
    expect(await put('orders', [trigger({ responseMode: 'lastNode' }), values(expressions)])).toMatchObject({
      status: 201,
    });
    expect((await call('orders', { name: 'region' })).body).toEqual({
      region: 'eu-central-1',
      text: 'in eu-central-1',
      max: 6,
      names: ['A', 'B'],
      any: 'eu-central-1',
      stage: 'dev',
    });
    await set('region', 'us-east-1');
    expect((await call('orders')).body).toMatchObject({ region: 'us-east-1' });
  });

  test('can be read by rules of a webhook, which run before the execution exists', async () => {
    const { set, put, call } = await aStage();
    await set('wanted', 'paid');
    await put('orders', [trigger({ onlyIf: 'body.status = $vars.wanted' }), values({})]);
    expect((await call('orders', { status: 'open' })).status).toBe(200);
    expect((await call('orders', { status: 'paid' })).status).toBe(202);
  });

  test('a workflow is refused that names one that the stage lacks, with its place', async () => {
    const { set, put } = await aStage();
    const nodes = [trigger(), values({ region: '{{ $vars.regoin }}' })];
    const pointer = '#/nodes/1/parameters/values/region';
    const lacks = await put('orders', nodes);
    expect(lacks.status).toBe(422);
    expect(lacks.body.errors).toMatchObject([
      { pointer, detail: expect.stringContaining('hookloom variable set regoin VALUE') },
    ]);
    await set('region', 'a');
    expect((await put('orders', nodes)).body.errors).toMatchObject([
      { pointer, detail: expect.stringContaining('did you mean "$vars.region"?') },
    ]);
  });

  test('stay as they were at the start for waits and steps of a background run, and of subworkflows', async () => {
    const { set, put, call, ended } = await aStage();
    await set('region', 'a');
    const entry = { id: 'start', type: 'manualTrigger', parameters: {} };
    await put('inner', [entry, values({ inner: '{{ $vars.region }}' })]);
    const wait = { id: 'wait', type: 'wait', parameters: { seconds: 2 } };
    const inner = { id: 'run', type: 'subworkflow', parameters: { workflowId: 'inner' } };
    const check = { id: 'check', type: 'filter', parameters: { condition: '{{ $vars.region = "a" }}' } };
    expect(await put('orders', [trigger({ responseMode: 'onReceived' }), wait, check, inner])).toMatchObject({
      status: 201,
    });
    const { body } = await call('orders');
    await set('region', 'b');
    const run = await ended(body.executionId);
    expect(run).toMatchObject({ status: 'succeeded' });
    const nodes = run.nodes as unknown as { nodeId: string; outputs?: JsonObject; why?: JsonObject }[];
    expect(nodes.find(({ nodeId }) => nodeId === 'out')?.outputs).toEqual({ main: { inner: 'a' } });
    expect(nodes.find(({ nodeId }) => nodeId === 'check')?.why).toMatchObject({
      result: true,
      values: [{ path: '$vars.region', value: 'a' }],
    });
  });

  test('a retry takes the recorded values with the recorded version, and the current ones with the current', async () => {
    const { ask, set, put, call, ended } = await aStage();
    await set('region', 'a');
    const fail = { id: 'stop', type: 'stopAndError', parameters: { message: 'in {{ $vars.region }}' } };
    for (const [id, responseMode] of Object.entries({ inline: 'lastNode', behind: 'onReceived' })) {
      await set('region', 'a');
      await put(id, [trigger({ responseMode }), fail]);
      const { executionId } = (await call(id)).body;
      expect(await ended(executionId)).toMatchObject({ failure: { message: 'in a' } });
      await set('region', 'b');
      for (const [version, message] of Object.entries({ recorded: 'in a', current: 'in b' })) {
        const { body } = await ask('POST', `/api/admin/executions/${executionId}/retry`, { version });
        expect(await ended(body.executionId)).toMatchObject({ failure: { message } });
      }
    }
  });
});

describe('$vars in the parameters of a trigger', () => {
  const clock = (cron: string) => [
    { id: 'clock', type: 'scheduleTrigger', parameters: { cron, timeZone: '{{ $vars.zone }}' } },
    values({}),
  ];

  test('is registered with the value, and follows it', async () => {
    const { set, put } = await aStage();
    await set('zone', 'Europe/Berlin');
    await set('cron', '0 9 * * *');
    const stored = await put('report', clock('{{ $vars.cron }}'));
    expect(stored.body.times).toMatchObject([
      { times: expect.arrayContaining([expect.stringMatching(/T09:00:00\+0[12]:00$/)]) },
    ]);
    const refused = await set('zone', 'Europe/Berlim');
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('Europe/Berlin') },
    });
    expect((await set('zone', 'Asia/Tokyo')).status).toBe(200);
    const again = await put('report', clock('{{ $vars.cron }}'));
    expect(again.body).toMatchObject({
      changed: false,
      times: [{ times: expect.arrayContaining([expect.stringMatching(/T09:00:00\+09:00$/)]) }],
    });
  });

  test.each<[string, JsonObject, string]>([
    [
      'an expression of other data',
      { cron: '0 9 * * *', timeZone: '{{ $execution.id }}' },
      'other than of $vars',
    ],
    [
      'a value that is no time zone',
      { cron: '0 9 * * *', timeZone: '{{ $vars.zone }}' },
      "with the stage's variables",
    ],
  ])('is refused: %s', async (_, parameters, detail) => {
    const { set, put } = await aStage();
    await set('zone', 'nowhere');
    const refused = await put('report', [{ id: 'clock', type: 'scheduleTrigger', parameters }, values({})]);
    expect(refused.body).toMatchObject({
      errors: [{ pointer: '#/nodes/0/parameters/timeZone', detail: expect.stringContaining(detail) }],
    });
  });

  test('a queue whose ARN is a variable starts runs, also after it has changed', async () => {
    const { set, put, send, started } = await aStage();
    const arn = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;
    await set('queue', arn('one'));
    const receive = { id: 'orders', type: 'queueTrigger', parameters: { queue: '{{ $vars.queue }}' } };
    expect((await put('orders', [receive, values({})])).status).toBe(201);
    await send('one');
    await poll(async () => (await started('orders')) === 1);
    expect((await set('queue', arn('two'))).status).toBe(200);
    await send('two');
    await poll(async () => (await started('orders')) === 2);
  });
});
