import { callJsonApi, type JsonApiCall, type JsonValue } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { aCallingContext, failureOf } from '../support/a-calling-context.ts';
import { aLocalServer, type LocalServer, redirectTo } from '../support/a-local-server.ts';
import { aNodeContext } from '../support/a-node-context.ts';

/** Answers with status, body and a header that the query has. */
const answering = (type: string): Parameters<typeof aLocalServer>[0][string] => {
  return ({ url }, response) => {
    const { searchParams } = new URL(url, 'http://api');
    const [status = 200, retryAfter] = [Number(searchParams.get('status') ?? 200), searchParams.get('after')];
    response.writeHead(status, {
      'content-type': type,
      ...(retryAfter === null ? {} : { 'retry-after': retryAfter }),
    });
    response.end(searchParams.get('body') ?? '');
  };
};

let server: LocalServer;

beforeAll(async () => {
  server = await aLocalServer({
    '/': answering('application/json'),
    '/page': answering('text/html'),
    '/moved': redirectTo(307, '/'),
  });
});

afterAll(() => server.close());

const bearer = { type: 'httpBearer', secret: { token: 'canary' } };

const call = async (path: string, changes: Partial<JsonApiCall> = {}) =>
  callJsonApi({ method: 'GET', url: `${server.origin}${path}`, ...changes }, await aCallingContext(bearer));

test('sends JSON with the credential, the trace and its headers', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const { execution } = aNodeContext();
  const context = await aCallingContext(bearer, { execution: { ...execution, traceparent } });
  const url = `${server.origin}/?a=1`;
  const query = { b: [1, null, 'x y'], c: null };
  await callJsonApi({ method: 'POST', url, query, headers: { 'x-version': '2' }, body: { ü: [1] } }, context);
  expect(server.received.at(-1)).toMatchObject({
    method: 'POST',
    url: '/?a=1&b=1&b=x+y',
    headers: {
      accept: 'application/json',
      authorization: 'Bearer canary',
      'content-type': 'application/json',
      'x-version': '2',
      traceparent,
    },
    body: '{"ü":[1]}',
  });
});

test('sends nothing without a body', async () => {
  await call('/');
  expect(server.received.at(-1)).toMatchObject({ body: '' });
  expect(server.received.at(-1)?.headers).not.toHaveProperty('content-type');
});

test.each<[string, JsonValue]>([
  ['{"a":[1]}', { a: [1] }],
  ['null', null],
  ['', null],
])('a response %j has the body %j', async (sent, body) => {
  expect(await call('/', { query: { body: sent } })).toMatchObject({ status: 200, body });
});

test('a response that is not JSON fails, and is not retried', async () => {
  expect(await failureOf(call('/page', { query: { body: '<p>Welcome' } }))).toMatchObject({
    name: 'NotJson',
    message: `127.0.0.1:${server.port} answered 200 with something that is not JSON: check that the URL belongs to the API`,
    isRetryable: false,
    details: { status: 200, body: '<p>Welcome', headers: { 'content-type': 'text/html' } },
  });
});

test.each([
  [400, false],
  [404, false],
  [408, true],
  [425, true],
  [429, true],
  [500, true],
  [599, true],
  [600, false],
])('%d is a failure that is retryable: %p', async (status, isRetryable) => {
  expect(await failureOf(call('/', { query: { status } }))).toMatchObject({
    name: 'HttpStatusError',
    isRetryable,
    retryAfterMs: undefined,
    details: { status },
  });
});

test('a failure has the message of its body, and says when to retry', async () => {
  const query = { status: 429, after: '7', body: '{"error":{"message":"slow\\ndown"}}' };
  expect(await failureOf(call('/', { query }))).toMatchObject({
    message: `127.0.0.1:${server.port} answered 429: slow down`,
    retryAfterMs: 7_000,
    details: { status: 429, body: { error: { message: 'slow\ndown' } }, headers: { 'retry-after': '7' } },
  });
});

test('an error status can count as success, and a successful response as a failure', async () => {
  const isSuccess = (status: number) => status === 404;
  expect(await call('/', { isSuccess, query: { status: 404 } })).toMatchObject({ status: 404 });
  const findFailure: JsonApiCall['findFailure'] = ({ body }) => ({
    code: String(body),
    problem: 'no',
    isRetryable: true,
    retryAfterMs: 5,
  });
  expect(await failureOf(call('/', { findFailure, query: { body: '"E1"' } }))).toMatchObject({
    message: expect.stringMatching(/ answered 200: no$/),
    isRetryable: true,
    retryAfterMs: 5,
    details: { code: 'E1', status: 200, body: 'E1' },
  });
});

test('a GET follows redirects, anything else does not', async () => {
  expect(await call('/moved')).toMatchObject({ status: 200 });
  expect(await failureOf(call('/moved', { method: 'PUT', body: 1 }))).toMatchObject({
    details: { status: 307 },
  });
});

test('a response above the size limit is not received', async () => {
  await expect(call('/', { query: { body: '"12345"' }, maxResponseBytes: 6 })).rejects.toMatchObject({
    code: 'OUTBOUND_TOO_LARGE',
  });
});
