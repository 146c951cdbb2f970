import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { createRouter, type Gateway, startGateway } from 'lambda-stage/gateway';
import { sendRaw } from '../../../../tests/support/send-raw.ts';
import { foreignRequests, ownRequests } from '../../../lambda-stage/tests/support/foreign-requests.ts';
import { createLocalConsole } from '../../gateway/local-console.ts';

const gateways: Gateway[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop(0)));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const credential = {
  id: 'mail',
  direction: 'outbound',
  type: 'oauth2',
  reference: 'file:mail',
  signIn: {
    clientId: 'shop',
    tokenUrl: 'http://127.0.0.1:1/token',
    authorizationUrl: 'https://login.example.com/authorize',
  },
};

/** The console in a gateway whose admin API has the credential `mail`. */
const aLocalConsole = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-local-console-'));
  folders.push(folder);
  const asked: string[] = [];
  const gateway = await startGateway({
    port: 0,
    findRoute: createRouter([{ event: '* /api/admin/{path+}', functionKey: 'admin', isPrivate: true }]),
    answerOwn: createLocalConsole(folder),
    invoke: async (_key, event) => {
      asked.push((event as { readonly rawPath: string }).rawPath);
      return { statusCode: 200, body: JSON.stringify(credential) };
    },
    log: () => {},
  });
  gateways.push(gateway);
  const { port } = gateway;
  const start = (headers: readonly string[]) =>
    sendRaw({ port, method: 'POST', path: '/console/sign-ins', headers, body: '{"credentialId":"mail"}' });
  return { port, asked, start };
};

test.each(foreignRequests)('no sign-in is begun for $case', async ({ headers, status }) => {
  const { port, asked, start } = await aLocalConsole();
  const answer = await start(headers(String(port)));
  expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/problem+json' } });
  expect(asked).toEqual([]);
});

test.each(ownRequests)(
  'a sign-in is begun for $case, and comes back to that address',
  async ({ headers }) => {
    const { port, asked, start } = await aLocalConsole();
    const given = headers(String(port));
    const { status, body } = await start(given);
    expect([status, asked]).toEqual([201, ['/api/admin/credentials/mail']]);
    const { searchParams } = new URL(JSON.parse(body).address);
    expect(searchParams.get('redirect_uri')).toBe(`http://${given[1]}/callback`);
  },
);

test('a redirect of another site is answered, but not at a name that was pointed at this machine', async () => {
  const { port } = await aLocalConsole();
  const back = (host: string) =>
    sendRaw({ port, path: '/callback?state=a', headers: ['host', host, 'sec-fetch-site', 'cross-site'] });
  expect(await back(`localhost:${port}`)).toMatchObject({
    status: 200,
    body: expect.stringContaining('url=/console/credentials?signIn=unknown'),
  });
  expect(await back(`evil.example:${port}`)).toMatchObject({ status: 404 });
});
