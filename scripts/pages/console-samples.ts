import { toOauth2Fields } from '@hookloom/plugin-kit';
import { OAUTH2_PRESETS } from '../../packages/authoring/oauth2-presets.ts';

/** Ids of what was stored, by the parameter that stands for them in the paths of views. */
export type SampleIds = Readonly<Record<string, string>>;

const payment = {
  id: 'collect-payment',
  name: 'Collect a payment',
  description: 'Charges a card and sends the receipt',
  tags: ['payments'],
  enabled: true,
  nodes: [
    {
      id: 'request',
      type: 'webhookTrigger',
      parameters: { responseMode: 'lastNode', recordRequests: true },
    },
    { id: 'large', type: 'if', parameters: { condition: '{{ body.total > 500 }}' } },
    {
      id: 'charge',
      type: 'code',
      parameters: {
        code: "if ($input.body.card === 'expired') throw new Error('The card has expired');\nreturn { charged: $input.body.total };",
      },
    },
    { id: 'review', type: 'set', parameters: { values: { review: 'A person looks at it' } } },
    { id: 'receipt', type: 'set', parameters: { values: { receipt: 'Charged {{ charged }} EUR' } } },
  ],
  connections: [
    { sourceNodeId: 'request', targetNodeId: 'large' },
    { sourceNodeId: 'large', sourceOutput: 'true', targetNodeId: 'review' },
    { sourceNodeId: 'large', sourceOutput: 'false', targetNodeId: 'charge' },
    { sourceNodeId: 'charge', targetNodeId: 'receipt' },
  ],
};

/** Runs workflows of a local service, so that each view of the console has something to show. */
export const storeConsoleSamples = async (baseUrl: string): Promise<SampleIds> => {
  const send = async (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${baseUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const ask = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const response = await send(method, path, body);
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return response.json() as Promise<Body>;
  };
  const pay = (total: number, card: string) =>
    send('POST', '/api/webhook/collect-payment/webhook', { total, card });

  await ask('PUT', '/api/admin/workflows/collect-payment', payment);
  for (const name of ['Ada', 'Grace', 'Edsger']) await send('POST', '/api/webhook/hello/webhook', { name });
  for (const total of [40, 75.5, 900]) await pay(total, 'valid');
  for (const total of [12, 480]) await pay(total, 'expired');
  await send('POST', '/api/webhook/orders/orders', { id: 'A-1', total: 120 }); // refused: it has no key
  await send('POST', '/api/webhook/approval/approval', { what: 'The party' });
  for (const number of ['A-1', 'A-2', 'A-1'])
    await ask('POST', '/api/webhook/count-orders/count', { number });
  await ask('PUT', '/api/admin/state/entry?workflowId=count-orders&key=customer%2Fada', {
    value: { visits: 3, last: { city: 'London', items: ['lamp', 'kettle'] } },
    ttlSeconds: 86_400,
  });
  const { hosts, ...google } = OAUTH2_PRESETS.google ?? { hosts: [], authorizationUrl: '', tokenUrl: '' };
  await ask('PUT', '/api/admin/credentials/calendar', {
    type: 'oauth2',
    fields: { ...toOauth2Fields(google, {}), clientId: 'shop.apps.googleusercontent.com' },
    secrets: {},
    hosts,
  });
  await ask('PUT', '/api/admin/variables/currency', { value: 'EUR', description: 'Of all prices' });
  await ask('POST', `/api/admin/plugins/slack/disable?message=${encodeURIComponent('The token leaked')}`);
  const { bulkRetryId } = await ask<{ bulkRetryId: string }>('POST', '/api/admin/executions/retry', {
    filter: { workflowId: 'collect-payment' },
  });

  const failed = '/api/admin/executions?workflowId=collect-payment&status=failed&limit=1';
  const { executions } = await ask<{ executions: readonly { executionId: string }[] }>('GET', failed);
  const recorded = '/api/admin/requests?workflowId=collect-payment&limit=1';
  const { requests } = await ask<{ requests: readonly { id: string }[] }>('GET', recorded);
  const [{ executionId } = { executionId: '' }] = executions;
  const [{ id: requestId } = { id: '' }] = requests;
  return {
    executionId,
    requestId,
    bulkRetryId,
    workflowId: 'collect-payment',
    version: '1',
    pluginId: 'slack',
    nodeType: 'httpRequest',
    type: 'smtp',
    credentialId: 'people-api',
    name: 'currency',
  };
};
