import type { CredentialType } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createHttpClient } from '../../../lib/adapters/http-client/http-client.chunk.ts';
import { aLocalServer } from '../../support/a-local-server.ts';
import { aJsonEvent } from '../../support/a-webhook-event.ts';
import { aWebhookService } from '../../support/a-webhook-service.ts';
import { anOutboundRequest } from '../../support/an-outbound-request.ts';
import { anOutboundService } from '../../support/outbound-credentials.ts';
import { planted, plantedSecrets } from '../../support/planted-secrets.ts';
import { findSecrets } from '../../support/secret-forms.ts';

const TOKEN_URL = 'https://login.example.com/token';
const API = 'https://api.example.com/me';

/** A service that holds a credential of each type that httpRequest takes, for `api.example.com`. */
const aCallingService = async (hosts: readonly string[] | null = ['api.example.com']) => {
  const outbound = anOutboundService({
    answer: ({ url }) => (url === TOKEN_URL ? { text: '{"access_token":"access-token-1"}' } : {}),
  });
  for (const [id, { secret, fields }] of Object.entries(planted))
    await outbound.put(id, id, secret, fields, hosts);
  const service = await aWebhookService({ outboundCredentials: outbound.credentials });
  const put = (credentialId: string, settings = {}) =>
    service.put({
      id: credentialId,
      chain: [
        {
          type: 'httpRequest',
          credentialId,
          parameters: { url: '{{ body.url }}' },
          settings,
        },
      ],
    });
  const call = (workflowId: string, url: string) => service.call(aJsonEvent({ url }, { workflowId }));
  return { ...service, requests: outbound.server.requests, put, call };
};

const applied = [
  'httpBearer',
  'httpBasic',
  'httpHeader',
  'httpQuery',
  'oauth2',
  'googleServiceAccount',
  'awsRole',
  'awsKeys',
  'tlsClient',
];

describe('a URL from a caller', () => {
  test.each(applied)('gets the credential of the type %s at an allowed host', async (type) => {
    const { put, call, requests } = await aCallingService();
    await put(type);
    expect(await call(type, API)).toMatchObject({ statusCode: 200 });
    const { url, headers, tls } = requests.at(-1) ?? anOutboundRequest('http://nothing.example');
    expect(new URL(url).host).toBe('api.example.com');
    expect(JSON.stringify([url, headers, tls])).not.toBe(JSON.stringify([API, {}, undefined]));
  });

  // holds: credentials-stay-at-their-hosts
  test.each(
    applied.flatMap((type) =>
      [
        'https://evil.example/',
        'https://api.example.com.evil.example/',
        'https://api.example.com:8443/',
        'https://api.example.com@evil.example/',
      ].map((url) => [type, url] as const),
    ),
  )('gets nothing of the type %s at %s, and no token is requested', async (type, url) => {
    const { put, call, requests, executions } = await aCallingService();
    await put(type, { retry: { maxAttempts: 3, initialDelaySeconds: 1 } });
    expect(await call(type, url)).toMatchObject({ statusCode: 500 });
    expect(requests).toEqual([]);
    const [record] = executions.records();
    expect(record?.failure).toMatchObject({
      name: 'CredentialNotForHost',
      message: `credential "${type}" is allowed for "api.example.com", but not for "${new URL(url).host}"`,
    });
    expect(record?.nodes.at(-1)).toMatchObject({ attempts: 1 });
    expect(findSecrets(JSON.stringify(record), plantedSecrets)).toEqual([]);
  });

  test('that is invalid is refused as ever, and no token is requested', async () => {
    const { put, call, requests } = await aCallingService();
    await put('oauth2');
    await call('oauth2', 'https://');
    expect(requests.filter(({ url }) => url === TOKEN_URL)).toEqual([]);
  });

  test.each([[null], [['*']]])('gets a credential whose hosts are %j everywhere', async (hosts) => {
    const { put, call, requests } = await aCallingService(hosts);
    await put('httpBearer');
    await call('httpBearer', 'https://other.example:8443/');
    expect(requests).toMatchObject([{ headers: { authorization: expect.stringContaining('Bearer') } }]);
  });
});

describe('the hosts of a credential', () => {
  const lend = async ({ credentials }: ReturnType<typeof anOutboundService>, id: string, type: string) =>
    (await credentials.open()).lend(id, [type]);

  test('are read again with it for the second request after a 401', async () => {
    const service = anOutboundService({ answer: () => ({ status: 401 }) });
    await service.put('crm', 'httpBearer', { token: 'token-1' }, {}, ['api.example.com']);
    const credential = await lend(service, 'crm', 'httpBearer');
    await service.put('crm', 'httpBearer', { token: 'token-2' }, {}, ['other.example.com']);
    await expect(
      service.credentials.request({ ...anOutboundRequest(API), credential }),
    ).rejects.toMatchObject({ name: 'CredentialNotForHost', isRetryable: false });
    expect(service.server.requests).toMatchObject([{ headers: { authorization: 'Bearer token-1' } }]);
  });

  test('are checked on the request as its type builds it', async () => {
    const service = anOutboundService({
      types: [
        {
          id: 'elsewhere',
          name: 'Elsewhere',
          description: 'For tests',
          schema: { type: 'object', properties: { key: { type: 'string' } } },
          secretFields: ['key'],
          apply: (request, { key = '' }) => ({ ...request, url: `https://evil.example/?key=${key}` }),
        } satisfies CredentialType,
      ],
    });
    await service.put('crm', 'elsewhere', { key: 'the-key-1' }, {}, ['api.example.com']);
    const loan = await service.credentials.open();
    const credential = await loan.lend('crm', ['elsewhere']);
    await expect(service.credentials.request({ ...anOutboundRequest(API), credential })).rejects.toThrow(
      'credential "crm" is allowed for "api.example.com", but not for "evil.example"',
    );
    expect(service.server.requests).toEqual([]);
  });

  test('of a type that sets the URL come from that URL', async () => {
    const service = anOutboundService();
    const secret = { url: 'https://hooks.example.com/services/1' };
    await service.put('chat', 'slackWebhook', secret, {}, ['hooks.example.com']);
    await service.put('other', 'slackWebhook', secret, {}, ['hooks.slack.com']);
    const send = async (id: string) =>
      service.credentials.request({
        ...anOutboundRequest('https://hooks.slack.com/'),
        credential: await lend(service, id, 'slackWebhook'),
      });
    await send('chat');
    await expect(send('other')).rejects.toMatchObject({ name: 'CredentialNotForHost' });
    expect(service.server.requests.map(({ url }) => url)).toEqual([secret.url]);
  });

  test('may be none', async () => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', { token: 'token-1' }, {}, []);
    const credential = await lend(service, 'crm', 'httpBearer');
    expect(() => credential.checkHost(API)).toThrow(
      'credential "crm" is allowed for no host, but not for "api.example.com"',
    );
  });

  test('can be checked by a node that sends the credential itself', async () => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', { token: 'token-1' }, {}, ['*.example.com', 'localhost:8080']);
    const credential = await lend(service, 'crm', 'httpBearer');
    expect(() => credential.checkHost('http://localhost:8080/')).not.toThrow();
    expect(() => credential.checkHost('http://localhost/?key=a')).toThrow(
      'credential "crm" is allowed for "*.example.com", "localhost:8080", but not for "localhost"',
    );
  });
});

describe('a redirect to another port of the same host', () => {
  const start = async (status: number) => {
    const other = await aLocalServer({ '/done': (_request, response) => response.end('done') });
    const server = await aLocalServer({
      '/': (_request, response) =>
        response.writeHead(status, { location: `${other.origin}/done?from=a` }).end(),
    });
    const service = anOutboundService({
      http: createHttpClient({ allow: ['127.0.0.1'] }),
      types: [
        {
          id: 'inBody',
          name: 'In the body',
          description: 'For tests',
          schema: { type: 'object', properties: { key: { type: 'string' } } },
          secretFields: ['key'],
          apply: (request, { key = '' }) => ({ ...request, body: JSON.stringify({ key }) }),
        },
      ],
    });
    const send = async (type: string, secret: Readonly<Record<string, string>>, fields = {}) => {
      await service.put('crm', type, secret, fields, ['*']);
      const credential = await (await service.credentials.open()).lend('crm', [type]);
      const request = anOutboundRequest(`${server.origin}/`, { method: 'POST', body: '{}', maxRedirects: 1 });
      return service.credentials.request({ ...request, credential });
    };
    return { send, other, close: () => Promise.all([server.close(), other.close()]) };
  };

  // holds: credentials-stay-at-their-hosts
  test.each([
    ['httpBearer', { token: 'token-1' }, {}],
    ['httpBasic', { password: 'password-1' }, { username: 'ann' }],
    ['httpHeader', { value: 'value-1' }, { name: 'x-key' }],
    ['httpQuery', { value: 'value-1' }, { name: 'key' }],
  ])('is followed without a credential of the type %s', async (type, secret, fields) => {
    const { send, other, close } = await start(307);
    await send(type, secret, fields);
    await close();
    expect(other.received).toHaveLength(1);
    const [{ url, headers } = { url: '', headers: {} }] = other.received;
    expect(url).toBe('/done?from=a');
    expect(JSON.stringify(headers)).not.toMatch(/-1|Basic/);
  });

  // holds: credentials-stay-at-their-hosts
  test('is refused when it would repeat a credential in the body', async () => {
    const { send, other, close } = await start(307);
    await expect(send('inBody', { key: 'the-key-1' })).rejects.toMatchObject({
      code: 'OUTBOUND_FAILED',
      message: expect.stringContaining('the body has a credential of this one'),
    });
    expect(other.received).toEqual([]);
    await close();
  });

  test('is followed when it repeats no body', async () => {
    const { send, other, close } = await start(303);
    expect(await send('inBody', { key: 'the-key-1' })).toMatchObject({ status: 200 });
    expect(other.received).toMatchObject([{ method: 'GET', body: '' }]);
    await close();
  });
});
