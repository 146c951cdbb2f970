import { describe, expect, test } from '@jest/globals';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { aJsonEvent } from '../../support/a-webhook-event.ts';
import { aWebhookService } from '../../support/a-webhook-service.ts';
import { anOutboundService } from '../../support/outbound-credentials.ts';
import { planted } from '../../support/planted-secrets.ts';

/** A service whose workflow calls a URL with a bearer token, and the requests that it has sent. */
const aService = async (
  type: string,
  parameters: Record<string, string>,
  format?: WorkflowDefinition['format'],
) => {
  const outbound = anOutboundService({ answer: () => ({ text: '{"data":{}}' }) });
  const { secret = {}, fields = {} } = planted.httpBearer ?? {};
  await outbound.put('key', 'httpBearer', secret, fields, ['api.example']);
  const service = await aWebhookService({ outboundCredentials: outbound.credentials });
  await service.put({
    ...(format === undefined ? {} : { format }),
    id: 'shop',
    chain: [{ type, credentialId: 'key', parameters }],
  });
  const call = async (id?: string | null) =>
    (await service.call(aJsonEvent(id === undefined ? {} : { id }, { workflowId: 'shop' }))).statusCode;
  return {
    ...service,
    call,
    sent: () => outbound.server.requests.map(({ method, url }) => `${method} ${url}`),
  };
};

const card = { method: 'DELETE', url: 'https://api.example/customers/{{ body.id }}/card' };

describe('an id from a caller in a URL with a credential', () => {
  test('stays one segment', async () => {
    const { call, sent } = await aService('httpRequest', card);
    expect(await call('../charges/ch_1?x=')).toBe(200);
    expect(sent()).toEqual(['DELETE https://api.example/customers/..%2Fcharges%2Fch_1%3Fx%3D/card']);
  });

  test('fails the node if it is a segment of dots, and nothing is sent', async () => {
    const { call, sent, executions } = await aService('httpRequest', card);
    expect(await call('..')).toBe(500);
    expect(sent()).toEqual([]);
    expect(executions.records()[0]?.failure).toMatchObject({
      name: 'ExpressionError',
      message: '{{ body.id }} in the URL "url" makes a segment of dots, which leads to another path',
    });
  });

  test('stays one segment for other nodes that call URLs', async () => {
    const { call, sent } = await aService('graphql', {
      url: 'https://api.example/{{ body.id }}/graphql',
      query: '{ shop }',
    });
    expect(await call('a/b')).toBe(200);
    expect(sent()).toEqual(['POST https://api.example/a%2Fb/graphql']);
  });
});

describe('an id that a caller leaves out', () => {
  const order = { method: 'DELETE', url: 'https://api.example/orders/{{ body.id }}' };

  test.each([
    [undefined, "gives nothing: write {{ body.id ?? '' }} if it may be empty"],
    [null, "gives null: write {{ body.id ?: '' }} if it may be empty"],
  ])('fails the node in format 2, and nothing is sent: %p', async (id, message) => {
    const { call, sent, executions } = await aService('httpRequest', order, 2);
    expect(await call(id)).toBe(500);
    expect(sent()).toEqual([]);
    expect(executions.records()[0]?.failure).toMatchObject({
      name: 'ExpressionError',
      message: `{{ body.id }} in the URL "url" ${message}`,
    });
  });

  test.each([
    [undefined, "{{ body.id ?? '' }}"],
    [null, "{{ body.id ?: '' }}"],
  ])('is sent as empty in format 2 if this is meant: %p', async (id, expression) => {
    const url = `https://api.example/orders/${expression}`;
    const { call, sent } = await aService('httpRequest', { ...order, url }, 2);
    expect(await call(id)).toBe(200);
    expect(sent()).toEqual(['DELETE https://api.example/orders/']);
  });

  test.each([undefined, 1] as const)('is sent as empty in format %p', async (format) => {
    const { call, sent } = await aService('httpRequest', order, format);
    expect([await call(undefined), await call(null)]).toEqual([200, 200]);
    expect(sent()).toEqual(['DELETE https://api.example/orders/', 'DELETE https://api.example/orders/']);
  });
});
