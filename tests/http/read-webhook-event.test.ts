import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { limitBody, readWebhookEvent } from '../../lib/http/read-webhook-event.ts';
import { isAppError } from '../../lib/shared/errors.ts';

/** As AWS documents it for payload format 2.0. */
const awsEvent = (changes: Record<string, unknown> = {}) => ({
  version: '2.0',
  routeKey: 'ANY /api/webhook/{workflowId}/{path+}',
  rawPath: '/api/webhook/shop/orders/new',
  rawQueryString: 'a=1&a=2&b=%20',
  cookies: ['one=1', 'two=2'],
  headers: { 'content-type': 'text/plain', 'x-custom': 'yes' },
  requestContext: {
    http: {
      method: 'POST',
      path: '/api/webhook/shop/orders/new',
      protocol: 'HTTP/1.1',
      sourceIp: '192.0.2.7',
      userAgent: 'curl',
    },
    requestId: 'request-1',
    timeEpoch: 1_700_000_000_123,
  },
  pathParameters: { workflowId: 'shop', path: 'orders/new' },
  body: 'hello',
  isBase64Encoded: false,
  ...changes,
});

const read = (event: unknown) => readWebhookEvent(event, 42);
const pathOf = (path: unknown) => read(awsEvent({ pathParameters: { workflowId: 'shop', path } })).path;
const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
  return 'none';
};

describe('reading an event', () => {
  test('returns the request, without gateway specifics', () => {
    expect(read(awsEvent())).toEqual({
      method: 'POST',
      workflowId: 'shop',
      path: '/orders/new',
      requestPath: '/api/webhook/shop/orders/new',
      rawQueryString: 'a=1&a=2&b=%20',
      headers: { 'content-type': 'text/plain', 'x-custom': 'yes', cookie: 'one=1; two=2' },
      rawBody: Buffer.from('hello'),
      remoteAddress: '192.0.2.7',
      receivedAt: 1_700_000_000_123,
      requestId: 'request-1',
    });
  });

  test('accepts an event with duplicate cookies, an encoded rawPath and no body', () => {
    const event = awsEvent({
      body: null,
      cookies: ['one=decoded'],
      headers: { cookie: 'one=1', Host: 'localhost' },
      rawPath: '/api/webhook/shop/a%20b',
      pathParameters: { workflowId: 'shop', path: 'a b' },
      queryStringParameters: null,
    });
    expect(read(event)).toMatchObject({
      headers: { cookie: 'one=1', host: 'localhost' },
      path: '/a b',
      requestPath: '/api/webhook/shop/a%20b',
      rawBody: new Uint8Array(),
    });
  });

  test.each([undefined, null, ''])(
    'treats a request without a path as one for the workflow itself: %j',
    (path) => {
      expect(pathOf(path)).toBe('/');
    },
  );

  test.each([
    'a',
    'a/b/c',
    '...',
    '.well-known',
    'a.b',
    'ä/日本',
    '%2e%2e',
    '%2F',
    'a;b',
    'a?b',
    '__proto__',
  ])('keeps the path as the gateway decoded it: %s', (path) => {
    expect(pathOf(path)).toBe(`/${path}`);
  });

  test.each([
    '.',
    '..',
    '/',
    'a/',
    '/a',
    'a//b',
    'a/./b',
    'a/../b',
    '../shop/orders',
    'a\\b',
    'a\u0000',
    'a\nb',
    'a\u007f',
    7,
    {},
  ])('finds nothing at %j', (path) => {
    expect(codeOf(() => pathOf(path))).toBe('NOT_FOUND');
  });

  test('decodes a base64 body to its bytes', () => {
    const body = Buffer.from([0, 255, 128, 10]).toString('base64');
    expect(read(awsEvent({ body, isBase64Encoded: true })).rawBody).toEqual(Buffer.from([0, 255, 128, 10]));
  });

  test('treats a body that only looks like base64 as text', () => {
    expect(read(awsEvent({ body: 'aGk=' })).rawBody).toEqual(Buffer.from('aGk='));
  });

  test.each(['%%%', 'aGk', 'aG k=', 'aGk=aGk=', 'a-_=', 'aGl='])('refuses invalid base64: %s', (body) => {
    expect(codeOf(() => read(awsEvent({ body, isBase64Encoded: true })))).toBe('REQUEST_INVALID');
  });

  test.each([{}, [], 7, true])('refuses a body that is not text: %j', (body) => {
    expect(codeOf(() => read(awsEvent({ body })))).toBe('REQUEST_INVALID');
  });

  test('joins header names that differ only in case, so that none is silently dropped', () => {
    expect(read(awsEvent({ headers: { 'X-Api-Key': 'a', 'x-api-key': 'b' } })).headers['x-api-key']).toBe(
      'a,b',
    );
  });

  test('treats header names such as __proto__ as data', () => {
    const { headers } = read(
      awsEvent({ headers: JSON.parse('{"__proto__": "x", "odd": 7}'), cookies: null }),
    );
    expect(Object.entries(headers)).toEqual([['__proto__', 'x']]);
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
  });

  test.each(['post', 'PATCH', 'FOO', 'M-SEARCH'])('keeps the method unchanged: %s', (method) => {
    expect(read(awsEvent({ requestContext: { http: { method } } })).method).toBe(method);
  });

  test.each([undefined, null, '', 'A B', 'GET\n', 7, 'x'.repeat(65)])('refuses the method %j', (method) => {
    expect(codeOf(() => read(awsEvent({ requestContext: { http: { method } } })))).toBe('REQUEST_INVALID');
  });

  test.each([undefined, null, 'now', Number.NaN, Number.POSITIVE_INFINITY, 9e15, -1])(
    'uses the system clock when the event has no time: %j',
    (timeEpoch) => {
      const requestContext = { http: { method: 'GET' }, timeEpoch };
      expect(read(awsEvent({ requestContext })).receivedAt).toBe(42);
    },
  );

  test('refuses anything but an event, and throws nothing else', () => {
    const junk = fc.oneof(
      fc.anything(),
      fc.record(
        {
          headers: fc.anything(),
          cookies: fc.anything(),
          pathParameters: fc.oneof(
            fc.anything(),
            fc.record({ path: fc.anything(), workflowId: fc.anything() }),
          ),
          rawPath: fc.anything(),
          body: fc.anything(),
          isBase64Encoded: fc.anything(),
          requestContext: fc.record({
            http: fc.record({ method: fc.constant('POST') }),
            timeEpoch: fc.anything(),
          }),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(junk, (event) => {
        expect(['none', 'NOT_FOUND', 'REQUEST_INVALID']).toContain(codeOf(() => read(event)));
      }),
      { numRuns: 500 },
    );
  });
});

const tooLarge = expect.objectContaining({ code: 'BODY_TOO_LARGE', status: 413 });

describe('the size of a body', () => {
  test.each([
    ['a text of as many bytes', { body: 'x'.repeat(8) }],
    ['as many bytes in UTF-8', { body: 'ää日' + 'x' }],
    ['as many bytes in base64', { body: Buffer.alloc(8).toString('base64'), isBase64Encoded: true }],
    ['no body', { body: null }],
    ['no event', null],
    ['a body that is not text, which is refused elsewhere', { body: { length: 9 } }],
  ])('allows %s', (_case, event) => {
    expect(() => limitBody(event, 8)).not.toThrow();
  });

  test.each([
    ['one byte more', { body: 'x'.repeat(9) }],
    ['one byte more in UTF-8', { body: 'ää日xx' }],
    ['one byte more in base64', { body: Buffer.alloc(9).toString('base64'), isBase64Encoded: true }],
    ['one byte more that only looks like base64', { body: 'aGVsbG8h+', isBase64Encoded: false }],
  ])('refuses %s', (_case, event) => {
    expect(() => limitBody(event, 8)).toThrow(tooLarge);
  });
});
