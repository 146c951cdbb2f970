import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { callApi, Problem } from '../src/api/api.ts';

const { fetch } = globalThis;
let answer: RequestListener;
const server = createServer((request, response) => answer(request, response));

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // In a page, paths are relative to its address.
  globalThis.fetch = (path, init) => fetch(new URL(String(path), base), init);
});
afterEach(async () => {
  globalThis.fetch = fetch;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const answerJson = (status: number, body: unknown): void => {
  answer = (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
};

const failure = async (call: Promise<unknown>): Promise<Problem> => {
  const error = await call.then(() => null).catch((thrown: unknown) => thrown);
  if (error instanceof Problem) return error;
  throw new Error('no Problem', { cause: error });
};

test('variables of the path and the query are encoded; parameters without a value are left out', async () => {
  let url: string | undefined;
  answer = (request, response) => {
    url = request.url;
    response.end('{}');
  };
  await callApi('GET /api/admin/workflows/{workflowId}', {
    params: { workflowId: 'a/b?' },
    query: { text: 'a b+c', empty: '', none: null, limit: 0 },
  });
  expect(url).toBe('/api/admin/workflows/a%2Fb%3F?text=a%20b%2Bc&limit=0');
});

test('a problem has its code, its sentence and the id of the request', async () => {
  answerJson(409, {
    type: 'urn:hookloom:problem:plugin-not-switched',
    title: 'Plugin not switched',
    status: 409,
    detail: 'The plugin flow can not be disabled.',
    instance: 'request-1',
  });
  expect(
    await failure(callApi('POST /api/admin/plugins/{id}/disable', { params: { id: 'flow' } })),
  ).toMatchObject({
    status: 409,
    code: 'plugin-not-switched',
    title: 'Plugin not switched',
    message: 'The plugin flow can not be disabled.',
    instance: 'request-1',
  });
});

test('a report that nothing works is an answer, though its status is 503', async () => {
  const report = { status: 'unhealthy', plugins: {} };
  answerJson(503, report);
  expect(await callApi('GET /api/admin/plugins/health')).toEqual(report);
});

test.each([
  ['a 503 of the gateway', 503, { message: 'Service Unavailable' }],
  ['a 503 that is no JSON', 503, '<html>'],
  ['another status with the members of a report', 500, { status: 'unhealthy', plugins: {} }],
  ['a success that is no JSON', 200, '<html>'],
])('%s is no report', async (_, status, body) => {
  answerJson(status, body);
  expect((await failure(callApi('GET /api/admin/plugins/health'))).status).toBe(status);
});

test('another route has no report', async () => {
  answerJson(503, { plugins: {} });
  expect((await failure(callApi('GET /api/admin/plugins'))).status).toBe(503);
});

test('a service that is not there is a problem without a status', async () => {
  server.closeAllConnections();
  answer = (request) => void request.socket.destroy();
  expect(await failure(callApi('GET /api/admin/plugins'))).toMatchObject({
    status: 0,
    title: 'The service does not answer',
  });
});

test('a call that is given up is no problem', async () => {
  answerJson(200, {});
  const call = callApi('GET /api/admin/plugins', { signal: AbortSignal.abort(new Error('given up')) });
  await expect(call).rejects.toThrow('given up');
});
