import { afterEach, describe, expect, test } from '@jest/globals';
import { aLocalServer, type LocalServer } from '../../../tests/support/a-local-server.ts';
import { ApiProblem, createAdminApi, createSendToApi } from '../admin-api.ts';
import { createSendBytes } from '../signed-requests.ts';

const servers: LocalServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

interface Reply {
  readonly status: number;
  readonly body?: unknown;
}

const OK: Reply = { status: 200, body: { done: true } };
const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'canary-secret', sessionToken: 'token-1' };

/** The client in front of a server that gives these replies in turn, the last one for ever. */
const anApi = async (replies: readonly Reply[], isSigned = true) => {
  const left = [...replies];
  const server = await aLocalServer({
    '/api/admin/workflows': (_request, response) => {
      const { status, body } = (left.length > 1 ? left.shift() : left[0]) ?? OK;
      response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' });
      response.end(body === undefined ? '' : JSON.stringify(body));
    },
  });
  servers.push(server);
  const { origin, received } = server;
  const signing = isSigned ? { region: 'eu-west-1', readCredentials: () => keys } : null;
  const sendBytes = createSendBytes({ findUrl: async () => origin, signing });
  const send = createSendToApi({ sendBytes, sleep: async () => {} });
  return { api: createAdminApi(send), received };
};

const call = async (replies: readonly Reply[], method = 'GET') => {
  const { api, received } = await anApi(replies);
  const body = method === 'GET' ? {} : { body: { a: 1 } };
  const answer = await api.call(method, '/api/admin/workflows', body).catch((error: Error) => error);
  return { answer, requests: received.length };
};

test('signs a request for the API, with the session, and sends no secret', async () => {
  const { api, received } = await anApi([OK]);
  await api.call('PUT', '/api/admin/workflows', { query: { message: 'a b&c', limit: null }, body: { a: 1 } });
  const [request] = received;
  expect(request).toMatchObject({
    url: '/api/admin/workflows?message=a%20b%26c',
    body: '{"a":1}',
    headers: { 'content-type': 'application/json', 'x-amz-security-token': 'token-1' },
  });
  expect(request?.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/execute-api\/aws4_request, /,
  );
  expect(JSON.stringify(request)).not.toContain('canary-secret');
});

test('signs nothing for the local service', async () => {
  const { api, received } = await anApi([OK], false);
  await api.call('GET', '/api/admin/workflows');
  expect(received[0]?.headers).not.toHaveProperty('authorization');
});

describe('a request', () => {
  test.each<[string, Reply, string, number]>([
    ['of any method is repeated when the gateway limits its rate', { status: 429 }, 'PUT', 2],
    ['that changes nothing is repeated after a fault', { status: 503 }, 'GET', 2],
  ])('%s', async (_, reply, method, requests) => {
    expect(await call([reply, OK], method)).toEqual({ answer: { done: true }, requests });
  });

  test.each<[string, Reply, string]>([
    ['a change after a fault', { status: 503 }, 'PUT'],
    ['a mistake', { status: 422 }, 'PUT'],
    ['a refusal', { status: 404 }, 'GET'],
  ])('is not repeated: %s', async (_, reply, method) => {
    expect(await call([reply, OK], method)).toMatchObject({ answer: expect.any(ApiProblem), requests: 1 });
  });

  test('ends after some tries', async () => {
    const { answer, requests } = await call([{ status: 429, body: { message: 'Too Many Requests' } }]);
    expect(requests).toBe(6);
    expect(answer).toMatchObject({ status: 429, message: 'Too Many Requests' });
  });

  test('that IAM denies names the permission; one that the service denies has its problem', async () => {
    const denied = await call([{ status: 403, body: { message: 'Forbidden' } }]);
    expect(denied.answer).toMatchObject({
      message: expect.stringContaining('AWS denies execute-api:Invoke on GET /api/admin/workflows'),
    });
    const type = 'urn:hookloom:problem:caller-not-allowed';
    const refused = await call([{ status: 403, body: { type, detail: 'Not from here.' } }]);
    expect(refused.answer).toMatchObject({ code: 'caller-not-allowed', message: 'Not from here.' });
  });

  test('is not sent elsewhere by a redirect', async () => {
    const { answer, requests } = await call([{ status: 307 }]);
    expect(requests).toBe(1);
    expect(answer).toMatchObject({ message: expect.stringContaining("can't be reached") });
  });
});

test('a list is read to its end', async () => {
  const { api, received } = await anApi([
    { status: 200, body: { workflows: [1, 2], nextCursor: 'c/1' } },
    { status: 200, body: { workflows: [3], nextCursor: null } },
  ]);
  expect(await api.list('/api/admin/workflows', 'workflows')).toEqual([1, 2, 3]);
  expect(received.map(({ url }) => url)).toEqual([
    '/api/admin/workflows?limit=100',
    '/api/admin/workflows?limit=100&cursor=c%2F1',
  ]);
});

test('an answer without a body is null', async () => {
  const { api } = await anApi([{ status: 200 }]);
  expect(await api.call('GET', '/api/admin/workflows')).toBeNull();
});
