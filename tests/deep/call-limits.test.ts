import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pLimit from 'p-limit';
import { json, useRunningProject } from '../support/a-running-project.ts';
import { poll } from '../support/poll.ts';

/** When calls arrived, by the path that they asked for, in milliseconds since the epoch. */
const arrivals = new Map<string, number[]>();

const outside = createServer((request, response) => {
  const { url = '' } = request;
  arrivals.set(url, [...(arrivals.get(url) ?? []), Date.now()]);
  request.resume();
  response.writeHead(200, json).end('{}');
});
const address = () => `127.0.0.1:${(outside.address() as AddressInfo).port}`;

beforeAll(() => new Promise<void>((resolve) => void outside.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  outside.closeAllConnections();
  outside.close();
});

const project = useRunningProject(() => ({
  OUTBOUND_ALLOW: '127.0.0.1',
  OUTBOUND_LIMITS: `${address()}=20/s+4`,
  LOG_LEVEL: 'error',
}));

const DELIVERIES = 80;

test.each([
  ['durable', 'of a credential', 10],
  ['express', 'of a host', 20],
])('%s runs keep the limit %s, and all succeed', async (execution, whose, perSecond) => {
  const isOfCredential = whose === 'of a credential';
  if (isOfCredential)
    await project.fetch('/api/admin/credentials/limited', {
      method: 'PUT',
      headers: json,
      body: JSON.stringify({
        type: 'httpBearer',
        secrets: { token: 'the-token-1' },
        hosts: [address()],
        limits: { perSecond },
      }),
    });
  await project.storeWorkflow({
    id: execution,
    name: execution,
    enabled: true,
    settings: { execution },
    nodes: [
      {
        id: 'in',
        type: 'webhookTrigger',
        parameters: { path: 'in', method: 'POST', responseMode: 'onReceived' },
      },
      {
        id: 'call',
        type: 'httpRequest',
        parameters: { url: `http://${address()}/${execution}` },
        ...(isOfCredential ? { credentialId: 'limited' } : {}),
      },
    ],
    connections: [{ sourceNodeId: 'in', targetNodeId: 'call' }],
  } as { readonly id: string });
  const limit = pLimit(10);
  const answers = await Promise.all(
    Array.from({ length: DELIVERIES }, () => limit(() => project.post(`/api/webhook/${execution}/in`, '{}'))),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(DELIVERIES).fill(202));
  await poll(async () => {
    const { body } = await project.get<{ readonly executions: readonly { readonly status: string }[] }>(
      `/api/admin/executions?workflowId=${execution}&limit=100`,
    );
    const statuses = body.executions.map(({ status }) => status);
    expect(statuses).not.toContain('failed');
    await pause(300); // leaves the processors to the runs
    return statuses.filter((status) => status === 'succeeded').length === DELIVERIES;
  });
  const times = (arrivals.get(`/${execution}`) ?? []).sort((one, other) => one - other);
  expect(times).toHaveLength(DELIVERIES);
  // A machine under load makes single calls late, which only lengthens the whole.
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(((DELIVERIES - 1) / perSecond) * 1_000);
});
