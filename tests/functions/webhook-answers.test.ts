import { describe, expect, test } from '@jest/globals';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { aJsonEvent, aWebhookEvent } from '../support/a-webhook-event.ts';
import { aWebhookService, type WebhookService } from '../support/a-webhook-service.ts';

describe('responseMode onReceived', () => {
  test('answers 202 with the names of what was started, and records the run', async () => {
    const service = await aWebhookService();
    await service.put({ webhook: { responseMode: 'onReceived' } });
    expect(await service.call(aJsonEvent({ a: 1 }))).toEqual({
      statusCode: 202,
      headers: {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
      body: '{"executionId":"execution-1","workflowId":"shop","status":"accepted"}',
    });
    expect(await service.executions.find('execution-1')).toMatchObject({
      workflowId: 'shop',
      workflowVersion: 1,
      trigger: { nodeId: 'start', type: 'webhookTrigger' },
      status: 'succeeded',
      nodes: [{ nodeId: 'start', status: 'succeeded' }],
    });
  });

  test('accepts a run that fails; its record has the failure', async () => {
    const service = await aWebhookService();
    await service.put({ webhook: { responseMode: 'onReceived' }, chain: [{ type: 'fails' }] });
    expect((await service.call(aJsonEvent({}))).statusCode).toBe(202);
    expect(await service.executions.find('execution-1')).toMatchObject({
      status: 'failed',
      failure: { nodeId: 'node-1', message: 'the shop is closed' },
    });
  });
});

describe('responseMode lastNode', () => {
  test('answers with the output of the last node', async () => {
    const service = await aWebhookService();
    await service.put({
      chain: [{ type: 'set', parameters: { values: { greeting: '{{ "Hello, " & body.name }}' } } }],
    });
    const result = await service.call(aJsonEvent({ name: 'Ann' }));
    expect(result.statusCode).toBe(200);
    expect(bodyOf(result)).toMatchObject({ greeting: 'Hello, Ann' });
    expect(result.headers).toEqual({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'hookloom-execution-id': 'execution-1',
      'x-content-type-options': 'nosniff',
    });
  });

  test('the trigger outputs exactly its eight keys', async () => {
    const service = await aWebhookService();
    await service.put();
    const result = await service.call(
      aJsonEvent({ name: 'Ann' }, { query: 'a=1&a=2&b=x%20y', headers: { 'X-Custom': 'yes' } }),
    );
    expect(bodyOf(result)).toEqual({
      triggeredAt: '2023-11-14T22:13:20.123Z',
      triggerType: 'webhook',
      body: { name: 'Ann' },
      headers: {
        host: 'api.example.com',
        'x-forwarded-for': '203.0.113.9',
        'content-type': 'application/json',
        'x-custom': 'yes',
      },
      queryParams: { a: ['1', '2'], b: 'x y' },
      requestMethod: 'POST',
      requestPath: '/api/webhook/shop/orders',
      remoteAddress: '192.0.2.7',
    });
  });

  test('a failed run is 500, with the execution id but no details', async () => {
    const service = await aWebhookService();
    await service.put({ chain: [{ type: 'fails' }] });
    const result = await service.call(aJsonEvent({}));
    expect(result).toEqual(aProblem(500, 'execution-failed'));
    expect(bodyOf(result)).toEqual({
      type: 'urn:hookloom:problem:execution-failed',
      title: 'Execution failed',
      status: 500,
      detail: 'Execution execution-1 failed; see its record.',
      instance: 'request-1',
      executionId: 'execution-1',
    });
    expect(result.headers).toMatchObject({ 'hookloom-execution-id': 'execution-1' });
    expect(await service.executions.find('execution-1')).toMatchObject({ status: 'failed' });
  });

  test('a timed-out run is 504, with the execution id', async () => {
    const service = await aWebhookService();
    await service.put({ chain: [{ type: 'hangs' }], settings: { timeoutSeconds: 5 } });
    const result = await whenAllSleep(service, service.call(aJsonEvent({})), 5_000);
    expect(result).toEqual(aProblem(504, 'execution-timed-out'));
    expect(bodyOf(result).detail).toBe('Execution execution-1 timed out.');
    expect(await service.executions.find('execution-1')).toMatchObject({ status: 'timedOut' });
  });

  test('a run ends before the function’s own timeout', async () => {
    const service = await aWebhookService({ settings: { deadlineMarginMs: 1_500 } });
    await service.put({ chain: [{ type: 'hangs' }] });
    const call = service.call(aJsonEvent({}), { getRemainingTimeInMillis: () => 4_000 });
    expect(await whenAllSleep(service, call, 2_500)).toEqual(aProblem(504, 'execution-timed-out'));
  });
});

/** Lets the time pass that a run needs, once it has begun to wait. */
const whenAllSleep = async <Result>(service: WebhookService, call: Promise<Result>, ms: number) => {
  while (service.clock.sleepers() === 0) await new Promise(setImmediate);
  await new Promise(setImmediate);
  service.clock.advance(ms);
  return call;
};

describe('responseMode responseNode', () => {
  const responding = async (parameters: object, more: object = {}) => {
    const service = await aWebhookService();
    await service.put({
      webhook: { responseMode: 'responseNode', ...more },
      chain: [{ type: 'respondToWebhook', parameters: JSON.parse(JSON.stringify(parameters)) }],
    });
    return service;
  };

  test('answers with status, headers and body of the node', async () => {
    const service = await responding({
      status: 201,
      headers: { Location: '/orders/7' },
      body: { id: '{{ body.id }}' },
    });
    expect(await service.call(aJsonEvent({ id: 7 }))).toEqual({
      statusCode: 201,
      headers: {
        location: '/orders/7',
        'content-type': 'application/json',
        'hookloom-execution-id': 'execution-1',
        'x-content-type-options': 'nosniff',
      },
      body: '{"id":7}',
    });
  });

  test('HTML is sandboxed', async () => {
    const service = await responding({
      headers: { 'content-type': 'text/html' },
      body: '<script>1</script>',
    });
    const result = await service.call(aJsonEvent({}));
    expect(result.headers).toMatchObject({
      'content-type': 'text/html',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    });
    expect(result.body).toBe('<script>1</script>');
  });

  test('204 has no body', async () => {
    const service = await responding({ status: 204 });
    expect(await service.call(aJsonEvent({}))).toEqual({
      statusCode: 204,
      headers: { 'hookloom-execution-id': 'execution-1', 'x-content-type-options': 'nosniff' },
    });
  });

  test('a response to HEAD has no body', async () => {
    const service = await responding({ body: 'hi' }, { method: 'HEAD' });
    const result = await service.call(aWebhookEvent({ method: 'HEAD' }));
    expect(result).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
    expect(result.body).toBeUndefined();
  });

  test('a workflow that never responds is 500, with the execution id', async () => {
    const service = await aWebhookService();
    await service.put({ webhook: { responseMode: 'responseNode' } });
    const result = await service.call(aJsonEvent({}));
    expect(result).toEqual(aProblem(500, 'no-response'));
    expect(bodyOf(result).detail).toContain('execution-1');
  });

  test('a response before a failure stands', async () => {
    const service = await aWebhookService();
    await service.put({
      webhook: { responseMode: 'responseNode' },
      chain: [{ type: 'respondToWebhook', parameters: { body: 'thanks' } }, { type: 'fails' }],
    });
    expect(await service.call(aJsonEvent({}))).toMatchObject({ statusCode: 200, body: 'thanks' });
    expect(await service.executions.find('execution-1')).toMatchObject({ status: 'failed' });
  });

  test('a plugin response that HTTP does not allow is 500', async () => {
    const service = await aWebhookService();
    const chain = [{ type: 'answersRaw', parameters: { status: 200, headers: { a: 'x\r\nset-cookie: y' } } }];
    await service.put({ webhook: { responseMode: 'responseNode' }, chain });
    expect(await service.call(aJsonEvent({}))).toEqual(aProblem(500, 'response-invalid'));
  });
});

describe('an unknown webhook', () => {
  test('unknown and disabled ones get the same response', async () => {
    const service = await aWebhookService();
    await service.put();
    await service.put({ id: 'off', enabled: false });
    await service.put({ id: 'mute', isTriggerDisabled: true });
    const answers = await Promise.all(
      [
        aJsonEvent({}, { workflowId: 'gone' }),
        aJsonEvent({}, { path: 'gone' }),
        aJsonEvent({}, { path: null }),
        aJsonEvent({}, { path: 'orders/' }),
        aJsonEvent({}, { path: '../shop/orders' }),
        aJsonEvent({}, { workflowId: '__proto__' }),
        aJsonEvent({}, { workflowId: 'off' }),
        aJsonEvent({}, { workflowId: 'mute' }),
        aJsonEvent({}, { workflowId: 'off', method: 'GET' }),
      ].map((event) => service.call(event)),
    );
    expect(answers[0]).toEqual(aProblem(404, 'not-found'));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(service.executions.records()).toEqual([]);
  });

  test('the path of the workflow itself can have one', async () => {
    const service = await aWebhookService();
    await service.put({ webhook: { path: '/' } });
    expect((await service.call(aJsonEvent({}, { path: null }))).statusCode).toBe(200);
    expect((await service.call(aJsonEvent({}))).statusCode).toBe(404);
  });

  test('a path exists only under its own workflow', async () => {
    const service = await aWebhookService();
    await service.put({ id: 'one', webhook: { path: '/a' } });
    await service.put({ id: 'two', webhook: { path: '/b' } });
    expect((await service.call(aJsonEvent({}, { workflowId: 'one', path: 'a' }))).statusCode).toBe(200);
    expect((await service.call(aJsonEvent({}, { workflowId: 'two', path: 'a' }))).statusCode).toBe(404);
  });
});

describe('another method', () => {
  test.each(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'FOO', 'post'])(
    '%s is 405 with Allow, and runs nothing',
    async (method) => {
      const service = await aWebhookService();
      await service.put();
      const result = await service.call(aWebhookEvent({ method }));
      expect(result.statusCode).toBe(405);
      expect(result.headers).toMatchObject({ allow: 'POST' });
      if (method === 'HEAD') expect(result.body).toBeUndefined();
      expect(service.executions.records()).toEqual([]);
    },
  );

  test('OPTIONS runs a workflow that listens to it', async () => {
    const service = await aWebhookService();
    await service.put({ webhook: { method: 'OPTIONS' } });
    expect((await service.call(aWebhookEvent({ method: 'OPTIONS' }))).statusCode).toBe(200);
  });
});
