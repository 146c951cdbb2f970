import { describe, expect, test } from '@jest/globals';
import { type RawRequest, toEvent } from '../../src/gateway/to-event.ts';

const NOW = Date.UTC(2026, 6, 10, 19, 19, 5, 766);

const aRequest = (changes: Partial<RawRequest> = {}): RawRequest => ({
  method: 'POST',
  url: '/api/webhook/shop/orders',
  httpVersion: '1.1',
  rawHeaders: ['Host', 'localhost:3000'],
  body: new Uint8Array(),
  remoteAddress: '127.0.0.1',
  port: 3000,
  ...changes,
});

const match = {
  functionKey: 'webhook',
  routeKey: 'ANY /api/webhook/{workflowId}/{path+}',
  pathParameters: { workflowId: 'shop', path: 'orders' },
};

const eventOf = (changes: Partial<RawRequest>) =>
  toEvent(aRequest(changes), match, { requestId: 'r-1', now: NOW });

/** A request with one header more. */
const withBody = (body: string | Uint8Array, type?: string) => {
  const { isBase64Encoded, ...event } = eventOf({
    body: Buffer.from(body),
    rawHeaders: type === undefined ? [] : ['Content-Type', type],
  });
  return { body: 'body' in event ? event.body : undefined, isBase64Encoded };
};

test('a request becomes AWS’s event, field by field', () => {
  const event = eventOf({
    url: '/api/webhook/shop/orders?repeat=one&repeat=two&to=https%3A%2F%2Fexample.com%2Fa&plus=a+b&plus2=a%2Bb&empty=',
    rawHeaders: [
      'Host',
      'shop.example.com:3000',
      'User-Agent',
      'curl/8.7.1',
      'X-Probe',
      'first',
      'x-probe',
      'second',
      'Cookie',
      'session=abc123; theme=dark',
      'cookie',
      'third=3',
      'Connection',
      'keep-alive',
      'Content-Type',
      'application/json',
      'Content-Length',
      '23',
    ],
    body: Buffer.from('{"unicode":"lambda-λ"}'),
  });
  expect(event).toEqual({
    version: '2.0',
    routeKey: 'ANY /api/webhook/{workflowId}/{path+}',
    rawPath: '/api/webhook/shop/orders',
    rawQueryString: 'repeat=one&repeat=two&to=https%3A%2F%2Fexample.com%2Fa&plus=a+b&plus2=a%2Bb&empty=',
    cookies: ['session=abc123', 'theme=dark', 'third=3'],
    headers: {
      host: 'shop.example.com:3000',
      'user-agent': 'curl/8.7.1',
      'x-probe': 'first,second',
      'content-type': 'application/json',
      'content-length': '23',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-port': '3000',
      'x-forwarded-proto': 'http',
    },
    queryStringParameters: {
      repeat: 'one,two',
      to: 'https://example.com/a',
      plus: 'a b',
      plus2: 'a+b',
      empty: '',
    },
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: 'shop.example.com',
      domainPrefix: 'shop',
      http: {
        method: 'POST',
        path: '/api/webhook/shop/orders',
        protocol: 'HTTP/1.1',
        sourceIp: '127.0.0.1',
        userAgent: 'curl/8.7.1',
      },
      requestId: 'r-1',
      routeKey: 'ANY /api/webhook/{workflowId}/{path+}',
      stage: '$default',
      time: '10/Jul/2026:19:19:05 +0000',
      timeEpoch: NOW,
    },
    pathParameters: { workflowId: 'shop', path: 'orders' },
    body: '{"unicode":"lambda-λ"}',
    isBase64Encoded: false,
  });
});

test('missing parts are left out', () => {
  const event = toEvent(aRequest(), { ...match, pathParameters: {} }, { requestId: 'r-1', now: NOW });
  expect(Object.keys(event)).toEqual([
    'version',
    'routeKey',
    'rawPath',
    'rawQueryString',
    'headers',
    'requestContext',
    'isBase64Encoded',
  ]);
});

describe('the path', () => {
  test.each([
    ['/capture/space%20value', '/capture/space value'],
    ['/api/webhook/shop/', '/api/webhook/shop/'],
    ['/a/%252e', '/a/%2e'],
    ['/a/../b', '/a/../b'],
    ['/a%2Fb', '/a/b'],
    ['/a%3Fb', '/a'],
  ])('%s is decoded once: %s', (url, rawPath) => {
    const { rawPath: found, requestContext } = eventOf({ url });
    expect([found, requestContext.http.path]).toEqual([rawPath, rawPath]);
  });
});

describe('the query', () => {
  test.each(['a=1&b=%C3%A9', 'a', '=', 'a=1&&a=2', 'a=%zz', 'a=b?c=d'])(
    '%s is kept as it was sent',
    (query) => {
      expect(eventOf({ url: `/a?${query}` }).rawQueryString).toBe(query);
    },
  );

  test('is absent when nothing follows the question mark', () => {
    const event = eventOf({ url: '/a?' });
    expect([event.rawQueryString, 'queryStringParameters' in event]).toEqual(['', false]);
  });
});

describe('the body', () => {
  test.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    'text/plain',
    'text/xml',
    'application/xml',
  ])('of %s is a text', (type) => {
    expect(withBody('"é"', type)).toEqual({ body: '"é"', isBase64Encoded: false });
  });

  test.each(['false', '0', 'null', '"asd"', ' '])('%s as JSON is unchanged', (body) => {
    expect(withBody(body, 'application/json')).toEqual({ body, isBase64Encoded: false });
  });

  test.each([
    'image/png',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
    'application/problem+json',
    'application/octet-stream',
    undefined,
  ])('of %s is base64', (type) => {
    expect(withBody('a=b', type)).toEqual({ body: 'YT1i', isBase64Encoded: true });
  });

  test('keeps every byte', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
    for (const type of ['image/png', 'text/plain']) {
      const { body = '', isBase64Encoded } = withBody(bytes, type);
      expect([isBase64Encoded, Buffer.from(body, 'base64').equals(bytes)]).toEqual([true, true]);
    }
  });
});

describe('the headers', () => {
  test('for the connection end at the gateway', () => {
    const { headers } = eventOf({
      rawHeaders: ['Transfer-Encoding', 'chunked', 'Keep-Alive', 'x', 'TE', 'x', 'Expect', '100-continue'],
      body: Buffer.from('abc'),
    });
    expect(Object.keys(headers).sort()).toEqual([
      'content-length',
      'x-forwarded-for',
      'x-forwarded-port',
      'x-forwarded-proto',
    ]);
    expect(headers['content-length']).toBe('3');
  });

  test('say who forwarded the request', () => {
    const { headers } = eventOf({ rawHeaders: ['X-Forwarded-For', '203.0.113.9'] });
    expect(headers['x-forwarded-for']).toBe('203.0.113.9, 127.0.0.1');
  });

  test('may have names that objects have already', () => {
    const { headers } = eventOf({ rawHeaders: ['__proto__', 'a', 'constructor', 'b'] });
    expect(Object.entries(headers)).toEqual(
      expect.arrayContaining([
        ['__proto__', 'a'],
        ['constructor', 'b'],
      ]),
    );
  });
});
