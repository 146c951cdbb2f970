import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { json } from '../support/a-running-project.ts';
import { useRunningStage } from '../support/a-running-stage.ts';

const RUNS = 10;

/** A server that replaces refresh tokens, and revokes all when it sees an old one; and an API that takes its access tokens. */
const server = { count: 0, acceptsFrom: 1, isRevoked: false };

const outside = createServer(async (request, response) => {
  const answer = (status: number, content: object) =>
    response.writeHead(status, json).end(JSON.stringify(content));
  if (request.url === '/api') {
    request.resume();
    const serial = Number(request.headers.authorization?.split('-')[1]);
    return answer(serial >= server.acceptsFrom ? 200 : 401, {});
  }
  const form = new URLSearchParams(await text(request));
  server.isRevoked ||= form.get('refresh_token') !== `refresh-${server.count}`;
  if (server.isRevoked) return answer(400, { error: 'invalid_grant' });
  server.count += 1;
  const tokens = { access_token: `access-${server.count}`, refresh_token: `refresh-${server.count}` };
  const lifetimes = { expires_in: 3_600, refresh_token_expires_in: 90 * DAY_SECONDS };
  return setTimeout(() => answer(200, { ...tokens, ...lifetimes, token_type: 'Bearer' }), 300);
});
const DAY_SECONDS = 86_400;
const address = () => `127.0.0.1:${(outside.address() as AddressInfo).port}`;

beforeAll(() => new Promise<void>((resolve) => void outside.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  outside.closeAllConnections();
  outside.close();
});

const stage = useRunningStage({ args: () => ['--no-samples'] });

test('processes that need a token at the same time ask for it once, note when it can be renewed no more, and ask again once when it is refused', async () => {
  const put = await stage.callAs('owner', '/api/admin/credentials/mailbox', {
    method: 'PUT',
    headers: json,
    body: JSON.stringify({
      type: 'oauth2',
      fields: {
        grant: 'refreshToken',
        clientId: 'shop',
        tokenUrl: `http://${address()}/token`,
      },
      secrets: { clientSecret: 'client-secret', refreshToken: 'refresh-0' },
      hosts: [address()],
    }),
  });
  expect(put.status).toBe(201);
  await stage.storeWorkflow({
    id: 'mail',
    name: 'mail',
    enabled: true,
    nodes: [
      {
        id: 'in',
        type: 'webhookTrigger',
        parameters: { path: 'in', method: 'POST', responseMode: 'lastNode' },
      },
      {
        id: 'call',
        type: 'httpRequest',
        credentialId: 'mailbox',
        parameters: { url: `http://${address()}/api` },
      },
    ],
    connections: [{ sourceNodeId: 'in', targetNodeId: 'call' }],
  } as { readonly id: string });
  const runAll = async () => {
    const answers = await Promise.all(
      Array.from({ length: RUNS }, () => stage.post('/api/webhook/mail/in', '{}')),
    );
    expect(answers.map(({ status, body }) => (status === 200 ? 200 : [status, body]))).toEqual(
      Array(RUNS).fill(200),
    );
  };
  await runAll();
  expect(server).toMatchObject({ count: 1, isRevoked: false });
  const shown = await stage.callAs('owner', '/api/admin/credentials/mailbox');
  const { expiresAt } = (await shown.json()) as { readonly expiresAt: string };
  expect((Date.parse(expiresAt) - Date.now()) / (DAY_SECONDS * 1_000)).toBeCloseTo(90, 1);
  server.acceptsFrom = 2;
  await runAll();
  expect(server).toMatchObject({ count: 2, isRevoked: false });
});
