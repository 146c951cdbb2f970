import { afterEach, describe, expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aLocalServer } from '../../../tests/support/a-local-server.ts';
import { anAdminApi } from '../../../tests/support/an-admin-api.ts';

const openCommandLine = useCommandLine();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A command line, and the service that it asks, which reaches `allowed` where this process does not. */
const open = async (allowed = '') => {
  const line = await openCommandLine({ values: { OUTBOUND_ALLOW: allowed } });
  const server = async (status: number) => {
    const started = await aLocalServer({ '/me': (_request, response) => response.writeHead(status).end() });
    cleanups.push(started.close);
    return started;
  };
  const api = anAdminApi({ DYNAMODB_ENDPOINT: line.endpoint, SECRETS_FOLDER: line.secretsFolder });
  return { ...line, server, api };
};

describe('credential test', () => {
  const create = (url: string) => `credential create crm --type httpBearer --field testUrl=${url}/me`;

  test('is run by the service, which reaches what the command line does not', async () => {
    const { call, server, asked } = await open('127.0.0.1');
    const { origin, received } = await server(200);
    await call(create(origin), 'the-token-1');
    expect(await call('credential test crm')).toEqual({
      code: 0,
      out: `crm: healthy, ${new URL(origin).host} answered 200`,
      err: '',
    });
    expect(asked.at(-1)).toBe('POST /api/admin/credentials/crm/test');
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
    const { call, stores } = await open();
    await call('credential create chat --type slackWebhook', 'https://hooks.slack.com/services/1');
    expect(await call('credential test chat')).toEqual({
      code: 0,
      out: '',
      err: 'chat: its type has no live test',
    });
    await call('credential create crm --type httpBearer --host a.example', 'the-token-1');
    await stores.outbound.secrets.put('crm', '{"token":"the-tok');
    expect((await call('credential test crm')).err).toContain(
      'crm: unhealthy, the secret of credential "crm" begins like a JSON object but is not valid JSON',
    );
  });

  test('tests nothing for a credential that does not exist or authenticates callers', async () => {
    const { call, asked } = await open();
    await call('credential create key --type apiKey');
    expect((await call('credential test other')).err).toBe('There is no credential other.');
    expect((await call('credential test key')).err).toBe('key is for callers: see credential revoke.');
    expect(asked.filter((request) => request.endsWith('/test'))).toEqual([]);
  });
});

describe('POST /api/admin/credentials/{credentialId}/test', () => {
  const path = (id: string) => `/api/admin/credentials/${id}/test`;

  test.each([
    ['without such a credential', path('crm'), 404, 'There is no credential crm for calling out.'],
    ['of an id that can be none', path('a%20b'), 404, 'There is no credential with this id for calling out.'],
    ['with an unknown parameter', `${path('crm')}?probe=true`, 400, 'unknown parameter "probe"'],
  ])('%s is refused', async (_case, address, status, detail) => {
    const { api } = await open();
    const refused = await api('POST', address);
    expect(refused).toMatchObject({ status, body: { detail: expect.stringContaining(detail) } });
  });

  test('answers with the result, and without the secret', async () => {
    const { call, api } = await open();
    await call('credential create crm --type httpBearer --host a.example', 'the-token-1');
    expect(await api('POST', path('crm'))).toMatchObject({
      status: 200,
      body: {
        credentialId: 'crm',
        type: 'httpBearer',
        status: 'warning',
        message: 'it has no testUrl: nothing was called',
      },
    });
  });
});
