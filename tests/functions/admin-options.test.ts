import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmbeddedDynamoDb } from '../../packages/local/database/embedded-dynamodb.ts';
import { aLocalServer, type LocalServer } from '../support/a-local-server.ts';
import { anAdminApi } from '../support/an-admin-api.ts';

let server: LocalServer;
let ask: ReturnType<typeof anAdminApi>;
let asked = 0;
const tokens: unknown[] = [];
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  const database = await startEmbeddedDynamoDb('test');
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-options-'));
  server = await aLocalServer({
    '/conversations.list': (request, response) => {
      asked += 1;
      tokens.push(request.headers.authorization);
      const isFirst = !request.url?.includes('cursor=');
      const isRefused = request.headers.authorization === 'Bearer slack-refused';
      const body = isRefused
        ? { ok: false, error: 'invalid_auth' }
        : {
            ok: true,
            channels: isFirst
              ? [
                  { id: 'C1', name: 'orders' },
                  { id: 'C2', name: 'general' },
                ]
              : [{ id: 'C3', name: 'tea' }],
            response_metadata: { next_cursor: isFirst ? 'more' : '' },
          };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    },
  });
  const host = new URL(server.origin).host;
  cleanups.push(
    () => database.stop(),
    () => server.close(),
    () => rmSync(folder, { recursive: true }),
  );
  ask = anAdminApi({
    DYNAMODB_ENDPOINT: database.endpoint,
    SOURCES_ENDPOINT: database.endpoint,
    SECRETS_FOLDER: folder,
    BLOB_FOLDER: folder,
    OUTBOUND_ALLOW: host,
  });
  for (const [id, token] of [
    ['slack', 'slack-token-1'],
    ['refused', 'slack-refused'],
  ])
    await ask('PUT', `/api/admin/credentials/${id}`, {
      body: { type: 'httpBearer', fields: {}, secrets: { token }, hosts: [host] },
    });
});

afterAll(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const find = (changes: JsonObject = {}) =>
  ask('POST', '/api/admin/workflows/options', {
    body: {
      nodeType: 'slackMessage',
      parameter: 'channel',
      credentialId: 'slack',
      parameters: { baseUrl: server.origin, text: '{{ text }}' },
      ...changes,
    },
  });

test('options are found with the credential, page by page, and remembered', async () => {
  const first = await find();
  expect(first).toMatchObject({
    status: 200,
    body: {
      options: [
        { value: 'C1', label: '#orders' },
        { value: 'C2', label: '#general' },
      ],
      nextPage: 'more',
      failure: null,
    },
  });
  expect(tokens).toEqual(['Bearer slack-token-1']);
  await find();
  expect(asked).toBe(1);
  const { body } = await find({ page: 'more' });
  expect(body).toMatchObject({ options: [{ value: 'C3', label: '#tea' }], nextPage: null });
});

test('a search leaves out what does not contain it, in any case', async () => {
  expect((await find({ search: 'ORD' })).body).toMatchObject({ options: [{ value: 'C1' }] });
});

test('a failure says what the API said, and is not remembered', async () => {
  const before = asked;
  for (let count = 1; count <= 2; count++) {
    const { status, body } = await find({ credentialId: 'refused' });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { options: [], failure: { message: expect.stringContaining('invalid_auth') } },
    });
  }
  expect(asked).toBe(before + 2);
});

test('a credential that does not exist fails', async () => {
  expect((await find({ credentialId: 'none' })).body).toMatchObject({
    failure: { name: 'CredentialMissing' },
  });
});

test.each([
  ['a type that there is not', { nodeType: 'none' }],
  ['a parameter without options', { parameter: 'text' }],
  ['a name of Object', { parameter: 'constructor' }],
])('%s is a 404', async (_case, changes) => {
  expect(await find(changes)).toMatchObject({
    status: 404,
    body: { type: 'urn:hookloom:problem:options-not-found' },
  });
});
