import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { manualTrigger } from '../../nodes/webhook/manual-trigger.ts';
import { webhookTrigger } from '../../nodes/webhook/webhook-trigger.ts';
import { runNode } from '../support/a-node-context.ts';

const request: JsonObject = {
  triggeredAt: '2026-01-02T03:04:05.678Z',
  body: { total: 7 },
  headers: { 'content-type': 'application/json' },
  queryParams: { page: ['1', '2'] },
  requestMethod: 'PUT',
  requestPath: '/api/webhook/shop/orders',
  remoteAddress: '192.0.2.7',
};

describe('webhookTrigger', () => {
  const run = async (input: JsonObject, parameters: JsonObject = {}) =>
    runNode(webhookTrigger, 'webhookTrigger', parameters, input);

  test('outputs the request in exactly eight keys', async () => {
    expect(await run(request)).toStrictEqual({ ...request, triggerType: 'webhook' });
  });

  test('drops whatever else it receives', async () => {
    expect(await run({ ...request, triggerType: 'manual', secret: 1 })).toStrictEqual({
      ...request,
      triggerType: 'webhook',
    });
  });

  test('has defaults for everything missing, as in a run by hand', async () => {
    expect(await run({})).toStrictEqual({
      triggeredAt: '2023-11-14T22:13:20.000Z',
      triggerType: 'webhook',
      body: {},
      headers: {},
      queryParams: {},
      requestMethod: 'POST',
      requestPath: '/webhook',
      remoteAddress: 'unknown',
    });
  });

  test('takes method and path from its parameters when the request has none', async () => {
    expect(await run({}, { method: 'GET', path: '/orders' })).toMatchObject({
      requestMethod: 'GET',
      requestPath: '/orders',
    });
    expect(await run({}, { methods: ['PUT', 'GET'] })).toMatchObject({ requestMethod: 'PUT' });
    expect(await run(request, { method: 'GET', path: '/orders' })).toMatchObject({
      requestMethod: 'PUT',
      requestPath: '/api/webhook/shop/orders',
    });
  });

  test.each([[false], [0], [''], [[]]])('does not treat a body that is %j as missing', async (body) => {
    expect(await run({ ...request, body })).toMatchObject({ body });
  });
});

describe('manualTrigger', () => {
  const run = async (input: JsonObject, parameters: JsonObject = {}) =>
    runNode(manualTrigger, 'manualTrigger', parameters, input);

  test('outputs when and how it was started, and its data', async () => {
    expect(await run({ a: 1 })).toStrictEqual({
      triggeredAt: '2023-11-14T22:13:20.000Z',
      triggerType: 'manual',
      a: 1,
    });
  });

  test('takes only an input that its schema allows, and says where another one differs', async () => {
    const schema = {
      type: 'object',
      required: ['id'],
      properties: { lines: { type: 'array', items: { type: 'number' } } },
    };
    expect(await run({ id: 1, lines: [2] }, { schema })).toMatchObject({ id: 1, lines: [2] });
    await expect(run({ x: 1 }, { schema: { additionalProperties: false } })).rejects.toThrow(
      /: \/x: no value is allowed here$/,
    );
    await expect(run({ lines: [2, 'a'] }, { schema })).rejects.toMatchObject({
      message: expect.stringMatching(
        /^the input is not what "schema" says: the input: .*"id".*; \/lines\/1: .*number/,
      ),
      isRetryable: false,
    });
  });

  test('lets data of the same name win, so that a webhook can be replayed by hand', async () => {
    expect(await run({ triggeredAt: 'then', triggerType: 'webhook' })).toStrictEqual({
      triggeredAt: 'then',
      triggerType: 'webhook',
    });
  });
});
