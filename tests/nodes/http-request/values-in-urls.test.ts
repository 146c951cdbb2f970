import { describe, expect, test } from '@jest/globals';
import { aJsonEvent } from '../../support/a-webhook-event.ts';
import { aWebhookService } from '../../support/a-webhook-service.ts';
import { anOutboundService } from '../../support/outbound-credentials.ts';
import { planted } from '../../support/planted-secrets.ts';

/** A service whose workflow calls a URL with a bearer token, and the requests that it has sent. */
const aService = async (type: string, parameters: Record<string, string>) => {
  const outbound = anOutboundService({ answer: () => ({ text: '{"data":{}}' }) });
  const { secret = {}, fields = {} } = planted.httpBearer ?? {};
  await outbound.put('key', 'httpBearer', secret, fields, ['api.example']);
  const service = await aWebhookService({ outboundCredentials: outbound.credentials });
  await service.put({ id: 'shop', chain: [{ type, credentialId: 'key', parameters }] });
  const call = async (id: string) =>
    (await service.call(aJsonEvent({ id }, { workflowId: 'shop' }))).statusCode;
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
