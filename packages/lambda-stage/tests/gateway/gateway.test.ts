import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Gateway, type GatewayOptions, startGateway } from '../../src/gateway/gateway.ts';
import { createRouter } from '../../src/gateway/routes.ts';
import type { toEvent } from '../../src/gateway/to-event.ts';
import { foreignRequests, ownRequests, type Sent } from '../support/foreign-requests.ts';

type Event = ReturnType<typeof toEvent> & { readonly body?: string };

const gateways: Gateway[] = [];
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop(0)));
});

/** A gateway in front of one function that does as the test says. */
const aGateway = async (
  call: (event: Event, signal: AbortSignal) => unknown,
  limits: GatewayOptions['limits'] = {},
  authorize?: GatewayOptions['authorize'],
) => {
  const events: Event[] = [];
  const lines: string[] = [];
  const gateway = await startGateway({
    port: 0,
    findRoute: createRouter([
      { event: '* /a/{path+}', functionKey: 'one' },
      { event: '* /private', functionKey: 'one', isPrivate: true },
    ]),
    invoke: async (_key, event, signal) => {
      events.push(event as Event);
      return call(event as Event, signal);
    },
    problemTypes: 'urn:shop:problem:',
    log: (line) => lines.push(line),
    limits,
    ...(authorize && { authorize }),
  });
  gateways.push(gateway);
  return { gateway, events, lines, url: `http://localhost:${gateway.port}` };
};

const read = async (response: Response) => [response.status, await response.text()];

test('checks whether the caller of a private route may call it, and passes the caller to the function', async () => {
  const asked: string[] = [];
  const { events, url } = await aGateway(
    () => ({ statusCode: 204 }),
    {},
    async ({ rawHeaders }) => {
      asked.push(rawHeaders.join());
      return rawHeaders.includes('signed') ? { iam: { userArn: 'arn:aws:iam::1:user/ada' } } : null;
    },
  );
  expect(await read(await fetch(`${url}/private`))).toEqual([403, '{"message":"Forbidden"}']);
  expect((await fetch(`${url}/private`, { headers: { authorization: 'signed' } })).status).toBe(204);
  expect((await fetch(`${url}/a/b`)).status).toBe(204);
  expect(asked).toHaveLength(2);
  expect(
    events.map(({ requestContext }) => ('authorizer' in requestContext ? requestContext.authorizer : null)),
  ).toEqual([{ iam: { userArn: 'arn:aws:iam::1:user/ada' } }, null]);
});

test('passes the request on and sends the response', async () => {
  const { events, url, gateway } = await aGateway(() => ({
    statusCode: 201,
    headers: { 'Content-Type': 'text/plain', 'x-own': 'yes' },
    cookies: ['a=1', 'b=2'],
    body: 'made',
  }));
  const response = await fetch(`${url}/a/b%20c/?x=1&x=2`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', cookie: 'k=v' },
    body: 'false',
  });
  expect(await read(response)).toEqual([201, 'made']);
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(response.headers.get('x-own')).toBe('yes');
  expect(events).toMatchObject([
    {
      routeKey: 'ANY /a/{path+}',
      rawPath: '/a/b c/',
      rawQueryString: 'x=1&x=2',
      cookies: ['k=v'],
      headers: { host: `localhost:${gateway.port}`, 'x-forwarded-port': String(gateway.port) },
      pathParameters: { path: 'b c/' },
      requestContext: { http: { method: 'PUT', sourceIp: expect.stringMatching(/^(127\.0\.0\.1|::1)$/) } },
      body: 'false',
      isBase64Encoded: false,
    },
  ]);
  expect(events[0]?.requestContext.requestId).toBe(response.headers.get('apigw-requestid'));
});

test('gives every request an id of its own', async () => {
  const { events, url } = await aGateway(() => 'ok');
  await Promise.all(Array.from({ length: 10 }, () => fetch(`${url}/a/b`)));
  expect(new Set(events.map(({ requestContext }) => requestContext.requestId)).size).toBe(10);
});

test('passes bytes unchanged in both directions', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
  const { url } = await aGateway(({ body = '' }) => ({
    statusCode: 200,
    headers: { 'content-type': 'image/png' },
    isBase64Encoded: true,
    body,
  }));
  const response = await fetch(`${url}/a/b`, {
    method: 'POST',
    headers: { 'content-type': 'image/png' },
    body: bytes,
  });
  expect(bytes.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
});

test('passes repeated headers and methods unchanged, and no body for HEAD', async () => {
  const { events, url } = await aGateway(() => ({ statusCode: 200, body: 'four' }));
  const call = httpRequest(`${url}/a/b`, { method: 'HEAD', headers: { 'x-list': ['1', '2'] } });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  expect(await text(response)).toBe('');
  expect(response.headers['content-length']).toBe('4');
  expect(events[0]?.headers['x-list']).toBe('1,2');
  expect(await read(await fetch(`${url}/a/b`, { method: 'OPTIONS' }))).toEqual([200, 'four']);
});

test('a response to HEAD does not say that GET has no body', async () => {
  const { url } = await aGateway(() => ({ statusCode: 200 }));
  const lengths = async (method: string) =>
    (await fetch(`${url}/a/b`, { method })).headers.get('content-length');
  expect([await lengths('HEAD'), await lengths('GET')]).toEqual([null, '0']);
});

test('a response without a body has no length', async () => {
  const { url } = await aGateway(() => ({ statusCode: 204 }));
  const response = await fetch(`${url}/a/b`);
  expect([response.status, response.headers.get('content-length')]).toEqual([204, null]);
});

describe('responds itself, as API Gateway does,', () => {
  test('to what has no route or is not a path', async () => {
    const { url, events } = await aGateway(() => 'ok');
    expect(await read(await fetch(`${url}/other`))).toEqual([404, '{"message":"Not Found"}']);
    expect(await read(await fetch(`${url}/a/%ff`))).toEqual([400, '{"message":"Bad Request"}']);
    expect(events).toEqual([]);
  });

  test.each([
    ['rejects', () => Promise.reject(new Error('exit code 1'))],
    ['gives what is no answer', () => ({ statusCode: 'x' })],
    ['gives a header that HTTP can’t carry', () => ({ statusCode: 200, headers: { 'x-bad': 'a\nb' } })],
  ])('when a function %s', async (_, call) => {
    const { url } = await aGateway(call);
    expect(await read(await fetch(`${url}/a/b`))).toEqual([500, '{"message":"Internal Server Error"}']);
  });

  test('and logs which function failed, and why', async () => {
    const { url, lines } = await aGateway(() => Promise.reject(new Error('exit code 1')));
    await fetch(`${url}/a/b`);
    expect(lines).toEqual(['one failed: exit code 1']);
  });

  test('when a function takes too long, which is aborted', async () => {
    const told = Promise.withResolvers<void>();
    const { url } = await aGateway(
      (_event, signal) => new Promise(() => signal.addEventListener('abort', () => told.resolve())),
      { answerMs: 20 },
    );
    expect(await read(await fetch(`${url}/a/b`))).toEqual([503, '{"message":"Service Unavailable"}']);
    await told.promise;
  });

  test.each([
    ['text', 'text/plain', 'x', 6_250_000, 6_291_456],
    ['text of quotes, which take two bytes in an event', 'application/json', '"', 3_125_000, 3_145_728],
    ['a form, which is sent as base64', 'application/x-www-form-urlencoded', 'x', 4_690_000, 4_718_592],
    ['bytes', 'image/png', '\0', 4_690_000, 4_718_592],
  ])('when Lambda takes no event of that size: %s', async (_case, type, character, fits, tooLarge) => {
    const { url, events } = await aGateway(() => ({ statusCode: 204 }));
    const post = async (length: number) =>
      fetch(`${url}/a/b`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: character.repeat(length),
      });
    expect((await post(fits)).status).toBe(204);
    expect(await read(await post(tooLarge))).toEqual([413, '{"message":"Request Entity Too Large"}']);
    expect(events).toHaveLength(1);
  });

  test('when a body is too large, with or without its length', async () => {
    const { url, events } = await aGateway(() => 'ok', { bodyBytes: 1_000 });
    const post = (body: RequestInit['body']) =>
      fetch(`${url}/a/b`, { method: 'POST', body, duplex: 'half' } as RequestInit);
    const tooLarge = [413, '{"message":"Request Entity Too Large"}'];
    expect(await read(await post('x'.repeat(1_001)))).toEqual(tooLarge);
    expect(await read(await post(new Blob(['x'.repeat(900), 'x'.repeat(900)]).stream()))).toEqual(tooLarge);
    expect(await read(await post('x'.repeat(1_000)))).toEqual([200, 'ok']);
    expect(events).toHaveLength(1);
  });
});

test('a caller that disconnects affects no others', async () => {
  const { url, gateway } = await aGateway(() => 'ok');
  const socket = connect(gateway.port, 'localhost');
  await once(socket, 'connect');
  socket.write('POST /a/b HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf');
  socket.destroy();
  await once(socket, 'close');
  expect(await read(await fetch(`${url}/a/b`))).toEqual([200, 'ok']);
});

test('a port in use is an error', async () => {
  const { gateway } = await aGateway(() => 'ok');
  const parts = { findRoute: () => null, invoke: async () => null, log: () => {} };
  await expect(startGateway({ port: gateway.port, ...parts })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('finishes open requests when it closes', async () => {
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<string>();
  const { url, gateway } = await aGateway(() => {
    begun.resolve();
    return go.promise;
  });
  const response = fetch(`${url}/a/b`);
  await begun.promise;
  const stopped = gateway.stop(60_000);
  go.resolve('done');
  expect(await read(await response)).toEqual([200, 'done']);
  await stopped;
});

describe('a route that AWS protects', () => {
  /** Sends exactly these headers. */
  const send = async ({ port }: Gateway, { headers }: Sent, path = '/private') => {
    const sent = { host: 'localhost', port, path, method: 'POST', setHost: false };
    const call = httpRequest({ ...sent, headers: headers(String(port)) }).end('{}');
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  };

  test.each(ownRequests)('serves $case', async (sent) => {
    const { gateway } = await aGateway(() => 'ok');
    expect(await send(gateway, sent)).toMatchObject({ status: 200, body: 'ok' });
  });

  test.each(foreignRequests)('refuses $case, and says why', async (sent) => {
    const { gateway, events } = await aGateway(() => 'ok');
    const { status, headers, body } = await send(gateway, sent);
    expect([status, headers['content-type']]).toEqual([sent.status, 'application/problem+json']);
    expect(JSON.parse(body)).toEqual({
      type: `urn:shop:problem:local-${sent.status === 421 ? 'host' : 'origin'}-refused`,
      title: expect.any(String),
      status: sent.status,
      detail: expect.stringContaining(`http://localhost:${gateway.port}`),
      instance: headers['apigw-requestid'],
    });
    expect(events).toEqual([]);
  });

  test.each(foreignRequests)('refuses $case differently from those that are open', async (sent) => {
    const { gateway } = await aGateway(() => 'ok');
    expect(await send(gateway, sent, '/a/b')).toMatchObject({ status: 200, body: 'ok' });
  });
});
