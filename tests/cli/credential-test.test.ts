import { afterEach, describe, expect, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { openHealth } from '../../lib/app/compose/admin.ts';
import { readConfig } from '../../lib/app/config.ts';
import { createHealthRoutes } from '../../lib/app/health-handler.ts';
import { startEngineServer } from '../../local/engine/engine-server.ts';
import { useCommandLine } from '../support/a-command-line.ts';
import { aLocalServer } from '../support/a-local-server.ts';
import { environmentOf } from '../support/function-environment.ts';

const openCommandLine = useCommandLine();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A command line, and the service that it asks, which reaches `allowed` where this process does not. */
const open = async (allowed = '') => {
  let handler: (event: unknown, context: Context) => Promise<unknown> = async () => null;
  const invoked: unknown[] = [];
  const engines = {
    invoke: async (functionKey: string, event: unknown) => {
      invoked.push(functionKey);
      return handler(event, {} as Context);
    },
  };
  const engine = await startEngineServer(engines as unknown as Parameters<typeof startEngineServer>[0]);
  cleanups.push(engine.stop);
  const line = await openCommandLine({ engineEndpoint: engine.endpoint });
  const values = {
    DYNAMODB_ENDPOINT: line.endpoint,
    SECRETS_FOLDER: line.secretsFolder,
    OUTBOUND_ALLOW: allowed,
    LOG_LEVEL: 'error',
  };
  const config = readConfig(environmentOf('adminHealth', values, 'test'));
  handler = createHealthRoutes(openHealth(config)) as typeof handler;
  const server = async (status: number) => {
    const started = await aLocalServer({ '/me': (_request, response) => response.writeHead(status).end() });
    cleanups.push(started.close);
    return started;
  };
  return { ...line, invoked, server, handler };
};

describe('credential test', () => {
  const create = (url: string) => `credential create crm --type httpBearer --field testUrl=${url}/me`;

  test('is run by the service, which reaches what the command line does not', async () => {
    const { call, server, invoked } = await open('127.0.0.1');
    const { origin, received } = await server(200);
    await call(create(origin), 'the-token-1');
    expect(await call('credential test crm')).toEqual({
      code: 0,
      out: `crm: healthy, ${new URL(origin).host} answered 200`,
      err: '',
    });
    expect(invoked).toEqual(['adminHealth']);
    expect(received).toMatchObject([{ headers: { authorization: 'Bearer the-token-1' } }]);
  });

  test('fails for a credential that its system rejects, and for an address that the service may not reach', async () => {
    const { call, server } = await open('127.0.0.1');
    const { origin } = await server(401);
    await call(create(origin), 'the-token-1');
    expect(await call('credential test crm')).toEqual({
      code: 1,
      out: '',
      err: `crm: unhealthy, ${new URL(origin).host} answered 401`,
    });
    const mail = 'credential create mail --type smtp --field host=10.0.0.1 --field username=ann';
    await call(mail, 'the-password');
    expect(await call('credential test mail')).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /^mail: unhealthy, A connection to 10\.0\.0\.1:587 was refused: .* OUTBOUND_ALLOW/,
      ),
    });
  });

  test('says when a type has no live test, and what is wrong with a secret', async () => {
    const { call, target } = await open();
    await call('credential create chat --type slackWebhook', 'https://hooks.slack.com/services/1');
    expect(await call('credential test chat')).toEqual({
      code: 0,
      out: '',
      err: 'chat: its type has no live test',
    });
    await call('credential create crm --type httpBearer --host a.example', 'the-token-1');
    await target().outbound.secrets.put('crm', '{"token":"the-tok');
    expect((await call('credential test crm')).err).toContain(
      'crm: unhealthy, the secret of credential "crm" begins like a JSON object but is not valid JSON',
    );
  });

  test('calls nothing for a credential that does not exist or authenticates callers', async () => {
    const { call, invoked } = await open();
    await call('credential create key --type apiKey');
    expect((await call('credential test other')).err).toBe('There is no credential other.');
    expect((await call('credential test key')).err).toBe('key is for callers: see credential revoke.');
    expect(invoked).toEqual([]);
  });

  test('fails when the service does not answer', async () => {
    const line = await openCommandLine({ engineEndpoint: 'http://127.0.0.1:1' });
    await line.call('credential create crm --type httpBearer --host a.example', 'the-token-1');
    expect(await line.call('credential test crm')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Credential crm could not be tested: test-adminHealth does not answer.'),
    });
  });
});

describe('POST /api/admin/credentials/{credentialId}/test', () => {
  const anEvent = (credentialId: string, changes: { method?: string; rawQueryString?: string } = {}) => ({
    version: '2.0',
    rawPath: `/api/admin/credentials/${credentialId}/test`,
    rawQueryString: changes.rawQueryString ?? '',
    headers: {},
    requestContext: { http: { method: changes.method ?? 'POST', path: '/', sourceIp: '127.0.0.1' } },
    pathParameters: { credentialId },
    isBase64Encoded: false,
  });

  test.each([
    ['without such a credential', anEvent('crm'), 404],
    ['of an id that can be none', anEvent('../x'), 404],
    ['with an unknown parameter', anEvent('crm', { rawQueryString: 'probe=true' }), 400],
    ['by another method', anEvent('crm', { method: 'GET' }), 405],
  ])('%s is refused', async (_case, event, statusCode) => {
    const { handler } = await open();
    expect(await handler(event, {} as Context)).toMatchObject({ statusCode });
  });

  test('answers with the result, and without the secret', async () => {
    const { call, handler } = await open();
    await call('credential create crm --type httpBearer --host a.example', 'the-token-1');
    const { statusCode, body } = (await handler(anEvent('crm'), {} as Context)) as {
      readonly statusCode: number;
      readonly body: string;
    };
    expect({ statusCode, ...JSON.parse(body) }).toEqual({
      statusCode: 200,
      credentialId: 'crm',
      type: 'httpBearer',
      status: 'warning',
      message: 'it has no testUrl: nothing was called',
    });
  });
});
