import { setImmediate } from 'node:timers/promises';
import type { PluginHandle, PluginProvider } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { STORE_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { aProblem, bodyOf } from '../../support/a-problem.ts';
import { aJsonEvent } from '../../support/a-webhook-event.ts';
import {
  type AWorkflow,
  aWebhookService,
  type ServiceOptions,
  type WebhookService,
} from '../../support/a-webhook-service.ts';
import { cases } from '../../support/deep.ts';

const aServiceWith = async (workflow: AWorkflow, options: ServiceOptions = {}) => {
  const service = await aWebhookService(options);
  await service.put(workflow);
  return service;
};

/** @param isPure - a node that saves files is not */
const pluginWith = (id: string, execute: PluginHandle['execute'], isPure = true): PluginProvider => ({
  id: `plugin-${id}`,
  name: id,
  version: '1.0.0',
  description: 'For tests',
  category: 'test',
  handles: [
    { id, name: id, description: id, kind: 'action', schema: { type: 'object' }, pure: isPure, execute },
  ],
});

/** Lets time pass until the call is answered. */
const whenAnswered = async <Result>(service: WebhookService, call: Promise<Result>): Promise<Result> => {
  let isDone = false;
  const done = call.finally(() => {
    isDone = true;
  });
  for (let steps = 0; !isDone && steps < 2_000; steps += 1) {
    await setImmediate();
    if (!isDone && service.clock.sleepers() > 0) service.clock.advance(50);
  }
  return done;
};

describe('answer', () => {
  const received = (answer: NonNullable<AWorkflow['webhook']>['answer'], options?: ServiceOptions) =>
    aServiceWith({ webhook: { responseMode: 'onReceived', answer: answer ?? null } }, options);

  test('is what the caller gets, with the execution id in a header', async () => {
    const service = await received({
      status: 200,
      headers: { 'x-order': '{{ body.id }}' },
      body: { got: '{{ body.id }}', run: '{{ $execution.id }}', by: '{{ requestMethod }}' },
    });
    const answer = await service.call(aJsonEvent({ id: 7 }));
    expect(answer).toMatchObject({
      statusCode: 200,
      headers: {
        'x-order': '7',
        'content-type': 'application/json',
        'hookloom-execution-id': 'execution-1',
      },
    });
    expect(bodyOf(answer)).toEqual({ got: 7, run: 'execution-1', by: 'POST' });
    expect(await service.executions.find('execution-1')).toMatchObject({ status: 'succeeded' });
  });

  test('may be text or have no body', async () => {
    const text = await received({ body: 'ok {{ body.id }}' });
    expect(await text.call(aJsonEvent({ id: 7 }))).toMatchObject({ statusCode: 200, body: 'ok 7' });
    const empty = await received({ status: 204 });
    expect((await empty.call(aJsonEvent({}))).body).toBeUndefined();
  });

  test('with HTML from the request is sandboxed', async () => {
    const service = await received({ headers: { 'content-type': 'text/html' }, body: '{{ body.html }}' });
    const { headers } = await service.call(aJsonEvent({ html: '<script>1</script>' }));
    expect(headers).toMatchObject({ 'content-security-policy': 'sandbox' });
  });

  test.each([
    ['an expression that fails', { body: '{{ $number(body.id) }}' }, { id: 'seven' }],
    [
      'a header that HTTP does not allow',
      { headers: { 'x-id': '{{ body.id }}' } },
      { id: 'a\r\nset-cookie: b' },
    ],
    ['a header that is a list', { headers: { 'x-id': '{{ body.id }}' } }, { id: [1] }],
    ['a body beyond all measure', { body: '{{ $pad("", body.id) }}' }, { id: 1_100_000 }],
  ])('%s gets the usual 202, since the run is stored', async (_case, answer, body) => {
    const service = await received(answer);
    const result = await service.call(aJsonEvent(body));
    expect(result.statusCode).toBe(202);
    expect(bodyOf(result)).toEqual({ executionId: 'execution-1', workflowId: 'shop', status: 'accepted' });
    expect(await service.executions.find('execution-1')).toMatchObject({ status: 'succeeded' });
    expect(service.lines.filter((line) => line.includes('could not be computed'))).toHaveLength(1);
  });

  test('reflects any request without an error', async () => {
    const repeat = '{{ body }}';
    const headers = { 'x-a': repeat, 'content-type': '{{ body.type }}' };
    const service = await received({ headers, body: { a: repeat, b: 'x {{ body.a }}' } });
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (body) => {
        expect((await service.call(aJsonEvent(body))).statusCode).toBeLessThan(500);
      }),
      { numRuns: cases(50, 2_000) },
    );
  });

  test('is not returned for a request that is not stored', async () => {
    const spoilt = { dispatcher: { dispatch: () => Promise.reject(new Error('throttled')) } };
    const service = await received({ status: 200, body: 'ok' }, { spoilt });
    expect((await service.call(aJsonEvent({}))).statusCode).toBeGreaterThanOrEqual(500);
    expect(service.executions.records()).toEqual([]);
  });

  test('is the same for a repeated delivery, which it marks', async () => {
    const service = await received({ body: '{{ $execution.id }}' });
    const event = aJsonEvent({ id: 7 }, { headers: { 'idempotency-key': 'a' } });
    const [first, second] = [await service.call(event), await service.call(event)];
    expect(second.body).toBe(first.body);
    expect(second.headers).toMatchObject({ 'hookloom-duplicate': 'true' });
    expect(service.executions.records()).toHaveLength(1);
  });
});

describe('lastNodeAnswer', () => {
  const set = (values: object) => ({
    type: 'set',
    parameters: { values: JSON.parse(JSON.stringify(values)) },
  });
  const answering = (lastNodeAnswer: string, values: object, options?: ServiceOptions) =>
    aServiceWith({ webhook: { lastNodeAnswer }, chain: [set(values)] }, options);

  test.each([
    [{ items: [{ a: 1 }, { a: 2 }] }, { a: 1 }],
    [{ items: [] }, null],
    [{ a: 1 }, { a: 1 }],
    [
      { items: 'no list', a: 1 },
      { items: 'no list', a: 1 },
    ],
  ])('firstItem of %j is %j', async (values, expected) => {
    const service = await answering('firstItem', values);
    expect(bodyOf(await service.call(aJsonEvent({})))).toEqual(expected);
  });

  const allOf = async (service: WebhookService) => {
    const ends = ['left', 'right'].map((id) => ({ id, ...set({ at: id }) }));
    const trigger = { responseMode: 'lastNode', path: '/orders', lastNodeAnswer: 'all' };
    const nodes = [{ id: 'start', type: 'webhookTrigger', parameters: trigger }, ...ends];
    const connections = ends.map(({ id }) => ({ sourceNodeId: 'start', targetNodeId: id }));
    const { toPathConfigs } = await import('../../../lib/workflows/definition/to-path-configs.ts');
    const definition = { id: 'shop', name: 'shop', enabled: true, nodes, connections };
    await service.workflows.put(definition, toPathConfigs(definition));
  };

  test('all has the output of every end node by its id', async () => {
    const service = await aWebhookService();
    await allOf(service);
    expect(bodyOf(await service.call(aJsonEvent({})))).toEqual({
      left: { at: 'left' },
      right: { at: 'right' },
    });
  });

  test('all is the same for a repeated delivery, and for a background run', async () => {
    const service = await aWebhookService();
    await allOf(service);
    const event = aJsonEvent({}, { headers: { 'idempotency-key': 'a' } });
    const first = await service.call(event);
    expect((await service.call(event)).body).toBe(first.body);
    const prefer = { headers: { prefer: 'respond-async, wait=5' } };
    expect((await service.call(aJsonEvent({}, prefer))).body).toBe(first.body);
  });

  const saves = (content: Uint8Array, mediaType = 'image/png') =>
    pluginWith(
      'saves',
      async (_node, _input, { services }) => {
        const chunks = async function* () {
          yield content;
        };
        return {
          note: 'a file',
          file: await services.files.save(chunks(), { name: 'ä "1".png', mediaType }),
        };
      },
      false,
    );

  test('file returns the bytes of the file, with its media type and name', async () => {
    const bytes = new Uint8Array([0, 255, 13, 10, 128]);
    const service = await aServiceWith(
      { webhook: { lastNodeAnswer: 'file' }, chain: [{ type: 'saves' }] },
      { plugins: [saves(bytes)] },
    );
    expect(await service.call(aJsonEvent({}))).toEqual({
      statusCode: 200,
      headers: {
        'content-type': 'image/png',
        'content-disposition': `inline; filename="_ _1_.png"; filename*=UTF-8''%C3%A4%20%221%22.png`,
        'cache-control': 'no-store',
        'hookloom-execution-id': 'execution-1',
        'x-content-type-options': 'nosniff',
      },
      body: Buffer.from(bytes).toString('base64'),
      isBase64Encoded: true,
    });
  });

  test.each(['image/svg+xml', 'text/xsl', 'text/html'])(
    'file of the type %s is never shown inline',
    async (type) => {
      const service = await aServiceWith(
        { webhook: { lastNodeAnswer: 'file' }, chain: [{ type: 'saves' }] },
        { plugins: [saves(Buffer.from('<svg/>'), type)] },
      );
      expect((await service.call(aJsonEvent({}))).headers).toMatchObject({
        'content-disposition': expect.stringMatching(/^attachment; filename=/),
        'content-security-policy': 'sandbox',
      });
    },
  );

  const forged = {
    $file: 'execution-1/node-1/0.1',
    name: 'a',
    mediaType: 'a/b',
    size: 1,
    sha256: 'a'.repeat(64),
  };
  test.each([
    ['no file', { a: 1 }],
    ["another run's", { file: { ...forged, $file: 'execution-9/node-1/0.1' } }],
    ['a file that was never saved', { file: forged }],
    ['a file that does not fit', { file: { ...forged, size: 4_500_001 } }],
  ])('file with %s is 500, with the execution id', async (_case, values) => {
    const service = await answering('file', values);
    const answer = await service.call(aJsonEvent({}));
    expect(answer).toEqual(aProblem(500, 'response-invalid'));
    expect(bodyOf(answer).detail).toContain('execution-1');
  });

  test('a failed run is an error, whatever the response would be', async () => {
    const service = await aServiceWith({ webhook: { lastNodeAnswer: 'all' }, chain: [{ type: 'fails' }] });
    expect(await service.call(aJsonEvent({}))).toEqual(aProblem(500, 'execution-failed'));
  });
});

describe('a file in the response of respondToWebhook', () => {
  const saves = pluginWith(
    'saves',
    async (_node, _input, { services }) => {
      const chunks = async function* () {
        yield Buffer.from('a;b');
      };
      return { file: await services.files.save(chunks(), { name: 'a.csv', mediaType: 'text/csv' }) };
    },
    false,
  );

  test('is sent as bytes, with the node’s headers', async () => {
    const headers = { 'Content-Disposition': 'attachment' };
    const parameters = { headers, body: '{{ file }}' };
    const service = await aServiceWith(
      {
        webhook: { responseMode: 'responseNode' },
        chain: [{ type: 'saves' }, { type: 'respondToWebhook', parameters }],
      },
      { plugins: [saves] },
    );
    const event = aJsonEvent({}, { headers: { 'idempotency-key': 'a' } });
    const first = await service.call(event);
    expect(first).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'text/csv', 'content-disposition': 'attachment' },
      body: Buffer.from('a;b').toString('base64'),
      isBase64Encoded: true,
    });
    expect((await service.call(event)).body).toBe(first.body);
  });

  test('made up by a caller is ordinary data', async () => {
    const file = { $file: 'x/y/0.1', name: 'a', mediaType: 'a/b', size: 1, sha256: 'a'.repeat(64) };
    const service = await aServiceWith({
      webhook: { responseMode: 'responseNode' },
      chain: [{ type: 'respondToWebhook', parameters: { body: '{{ body }}' } }],
    });
    expect(bodyOf(await service.call(aJsonEvent(file)))).toEqual(file);
  });
});

describe('timeoutSeconds', () => {
  test('ends the run, and answers 504 with the execution id', async () => {
    const service = await aServiceWith({ webhook: { timeoutSeconds: 3 }, chain: [{ type: 'hangs' }] });
    const startedAt = service.clock.now();
    const answer = await whenAnswered(service, service.call(aJsonEvent({})));
    expect(answer).toEqual(aProblem(504, 'execution-timed-out'));
    expect(bodyOf(answer).detail).toContain('execution-1');
    expect(service.clock.now() - startedAt).toBe(3_000);
    expect(await service.executions.find('execution-1')).toMatchObject({ status: 'timedOut' });
  });
});

/** A node that waits until the test lets it go on. */
const aGate = () => {
  const gate = Promise.withResolvers<void>();
  const wait: Parameters<typeof pluginWith>[1] = async (_node, input) => {
    await gate.promise;
    return input;
  };
  const plugin = pluginWith('waits', wait, false);
  return { open: gate.resolve, options: { plugins: [plugin], runsBehind: true } };
};

const untilEnded = async (service: WebhookService, executionId = 'execution-1') => {
  for (;;) {
    const record = await service.executions.find(executionId);
    if (record?.endedAt !== null) return record;
    await setImmediate();
  }
};

describe('onTimeout continue', () => {
  test('returns a result that is there in time', async () => {
    const service = await aServiceWith({
      webhook: { onTimeout: 'continue' },
      chain: [{ type: 'set', parameters: { values: { a: 1 } } }],
    });
    const answer = await service.call(aJsonEvent({}));
    expect(answer).toMatchObject({ statusCode: 200, body: '{"a":1}' });
    expect(answer.headers).not.toHaveProperty('preference-applied');
    expect(await service.executions.find('execution-1')).toMatchObject({ mode: 'durable' });
  });

  test('answers 202 when the time is up, and the run continues to its end', async () => {
    const gate = aGate();
    const webhook = { onTimeout: 'continue', timeoutSeconds: 2 };
    const service = await aServiceWith({ webhook, chain: [{ type: 'waits' }] }, gate.options);
    const answer = await whenAnswered(service, service.call(aJsonEvent({})));
    expect(answer.statusCode).toBe(202);
    expect(bodyOf(answer)).toEqual({ executionId: 'execution-1', workflowId: 'shop', status: 'running' });
    gate.open();
    expect(await untilEnded(service)).toMatchObject({ status: 'succeeded' });
  });
});

test('a store failure while the caller waits answers 202, since the run is accepted', async () => {
  const find = () => Promise.reject(new AppError(STORE_UNAVAILABLE, {}));
  const service = await aServiceWith(
    { webhook: { onTimeout: 'continue' } },
    { spoilt: { executions: { find }, dispatcher: { dispatch: async () => {} } } },
  );
  const answer = await service.call(aJsonEvent({}));
  expect(answer.statusCode).toBe(202);
  expect(bodyOf(answer)).toMatchObject({ executionId: 'execution-1', status: 'accepted' });
});

describe('continueAfterResponse', () => {
  const respond = { type: 'respondToWebhook', parameters: { status: 201, body: 'thanks' } };
  const aWorkflow = (chain: NonNullable<AWorkflow['chain']>, more: object = {}): AWorkflow => ({
    webhook: { responseMode: 'responseNode', continueAfterResponse: true, ...more },
    chain,
  });

  // holds: answered-runs-continue
  test('responds before the run has ended, and the run continues', async () => {
    const gate = aGate();
    const service = await aServiceWith(aWorkflow([respond, { type: 'waits' }]), gate.options);
    const answer = await whenAnswered(service, service.call(aJsonEvent({})));
    expect(answer).toMatchObject({
      statusCode: 201,
      headers: { 'hookloom-execution-id': 'execution-1' },
      body: 'thanks',
    });
    expect(await service.executions.find('execution-1')).toMatchObject({ status: 'running', endedAt: null });
    gate.open();
    expect(await untilEnded(service)).toMatchObject({ status: 'succeeded' });
  });

  test('is the default in format 2 if a node with side effects can follow', async () => {
    const gate = aGate();
    const webhook = { responseMode: 'responseNode' } as const;
    const chain = [respond, { type: 'waits' }];
    const service = await aServiceWith({ webhook, chain, format: 2 }, gate.options);
    expect(await whenAnswered(service, service.call(aJsonEvent({})))).toMatchObject({ statusCode: 201 });
    expect(await service.executions.find('execution-1')).toMatchObject({ mode: 'durable', endedAt: null });
    gate.open();
    expect(await untilEnded(service)).toMatchObject({ status: 'succeeded' });
  });

  test.each<[string, Pick<AWorkflow, 'format' | 'webhook' | 'chain'>]>([
    ['only pure nodes follow', { format: 2, chain: [{ type: 'fails' }, respond] }],
    [
      'the trigger says so',
      { format: 2, webhook: { continueAfterResponse: false }, chain: [respond, { type: 'fails' }] },
    ],
    ['the format is 1', { format: 1, chain: [respond, { type: 'fails' }] }],
  ])('is not the default if %s: the run is inline', async (_what, { webhook, ...workflow }) => {
    const service = await aServiceWith({
      ...workflow,
      webhook: { responseMode: 'responseNode', ...webhook },
    });
    await service.call(aJsonEvent({}));
    expect(await service.executions.find('execution-1')).toMatchObject({ mode: 'inline', status: 'failed' });
  });

  test('leaves the failure of what follows on record, in format 2', async () => {
    const gate = aGate();
    const webhook = { responseMode: 'responseNode' } as const;
    const chain = [respond, { type: 'waits' }, { type: 'fails' }];
    const service = await aServiceWith({ webhook, chain, format: 2 }, gate.options);
    expect(await whenAnswered(service, service.call(aJsonEvent({})))).toMatchObject({ statusCode: 201 });
    gate.open();
    expect(await untilEnded(service)).toMatchObject({ status: 'failed', failure: { nodeId: 'node-3' } });
  });

  test('gives a repeated delivery the same response, during the run and afterwards', async () => {
    const gate = aGate();
    const service = await aServiceWith(aWorkflow([respond, { type: 'waits' }]), gate.options);
    const event = aJsonEvent({}, { headers: { 'idempotency-key': 'a' } });
    const first = await whenAnswered(service, service.call(event));
    const second = await whenAnswered(service, service.call(event));
    const executionId = String(first.headers?.['hookloom-execution-id']);
    gate.open();
    await untilEnded(service, executionId);
    const third = await whenAnswered(service, service.call(event));
    for (const repeated of [second, third])
      expect(repeated).toEqual({ ...first, headers: { ...first.headers, 'hookloom-duplicate': 'true' } });
    expect(service.executions.records()).toHaveLength(1);
  });

  test('answers 202 when there is no response in time', async () => {
    const gate = aGate();
    const workflow = aWorkflow([{ type: 'waits' }, respond], { timeoutSeconds: 1 });
    const service = await aServiceWith(workflow, gate.options);
    expect((await whenAnswered(service, service.call(aJsonEvent({})))).statusCode).toBe(202);
    gate.open();
    expect(await untilEnded(service)).toMatchObject({ status: 'succeeded' });
  });

  // holds: answered-runs-continue
  test('answers 500 for a failure before the response; a later one leaves the response', async () => {
    const before = await aServiceWith(aWorkflow([{ type: 'fails' }, respond]));
    expect(await before.call(aJsonEvent({}))).toEqual(aProblem(500, 'execution-failed'));
    const behind = await aServiceWith(aWorkflow([respond, { type: 'fails' }]));
    expect(await behind.call(aJsonEvent({}))).toMatchObject({ statusCode: 201, body: 'thanks' });
  });

  test('stores a response at the end that could not be stored at once', async () => {
    const gate = aGate();
    let saves = 0;
    const spoilt = {
      executions: {
        saveProgress: () => {
          saves += 1;
          return Promise.reject(new Error('throttled'));
        },
      },
    };
    const service = await aServiceWith(aWorkflow([respond, { type: 'waits' }]), { ...gate.options, spoilt });
    const call = service.call(aJsonEvent({}));
    while (saves === 0) await setImmediate();
    gate.open();
    expect(await whenAnswered(service, call)).toMatchObject({ statusCode: 201, body: 'thanks' });
  });
});
