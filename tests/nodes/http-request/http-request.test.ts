import type { JsonObject, JsonValue, LentCredential, OutboundResponse } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { httpRequest } from '../../../nodes/http-request/http-request.plugin.ts';
import { readRules } from '../../../nodes/http-request/send.ts';
import { aContextAnswering, runNode } from '../../support/a-node-context.ts';

const url = 'https://api.example.com/orders';

/** Runs the node, and tells what was sent and what it put out. */
const call = async (parameters: JsonObject, answer: Partial<OutboundResponse> = {}) => {
  const { context, requests } = aContextAnswering(answer);
  const output = await runNode(httpRequest, 'httpRequest', { url, ...parameters }, {}, context);
  return { output, request: requests[0], signal: context.signal };
};

const answering = async (answer: Partial<OutboundResponse>) => (await call({}, answer)).output;

describe('the parameters of httpRequest', () => {
  const properties = Object.entries(httpRequest.schema.properties as Readonly<Record<string, JsonObject>>);

  test('have the defaults that its properties declare', () => {
    const declared = properties.map(([name, { default: value }]) => [name, value]);
    expect({ ...readRules({ url }), url: undefined }).toEqual(Object.fromEntries(declared));
  });

  test('are described', () => {
    expect(properties.filter(([, { description = '' }]) => description === '')).toEqual([]);
  });
});

describe('what httpRequest sends', () => {
  test('a GET without a body, within the usual limits', async () => {
    const { request, signal } = await call({});
    expect(request).toStrictEqual({
      method: 'GET',
      url,
      headers: {},
      body: null,
      timeoutMs: 31_000, // the time that is left for the attempt, and a second
      maxRedirects: 5,
      maxResponseBytes: 1_048_576,
      signal,
    });
  });

  test('the trace of its execution, unless a header sets another one', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const headersFor = async (headers: JsonObject) => {
      const { context, requests } = aContextAnswering();
      const traced = { ...context, execution: { ...context.execution, traceparent } };
      await runNode(httpRequest, 'httpRequest', { url, headers }, {}, traced);
      return requests[0]?.headers;
    };
    expect(await headersFor({})).toEqual({ traceparent });
    expect(await headersFor({ Traceparent: 'own' })).toEqual({ traceparent: 'own' });
  });

  test('the trace of its own span, with tracing', async () => {
    const { context, requests } = aContextAnswering();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-96e3bd7a8b823568-01';
    const execution = { ...context.execution, traceparent: traceparent.replace('96e3', '00f0') };
    await runNode(httpRequest, 'httpRequest', { url }, {}, { ...context, execution, traceparent });
    expect(requests[0]?.headers).toEqual({ traceparent });
  });

  test('its credential, which the client adds', async () => {
    const { context, requests } = aContextAnswering();
    const credential: LentCredential = {
      id: 'crm',
      type: 'httpBearer',
      field: () => 'canary',
      checkHost: () => {},
      refresh: async () => null,
    };
    await runNode(httpRequest, 'httpRequest', { url }, {}, { ...context, credential });
    expect(requests).toMatchObject([{ credential, headers: {} }]);
  });

  test('the method and the limits of its parameters', async () => {
    const limits = { maxRedirects: 0, maxResponseBytes: 6 * 1024 * 1024 };
    expect((await call({ method: 'DELETE', ...limits })).request).toMatchObject({
      method: 'DELETE',
      maxRedirects: 0,
      maxResponseBytes: 6_291_456,
    });
  });

  test.each([
    ['maxRedirects', -1, 'an integer from 0 to 20'],
    ['maxRedirects', 21, 'an integer from 0 to 20'],
    ['maxRedirects', 1.5, 'an integer from 0 to 20'],
    ['maxResponseBytes', 0, 'an integer from 1 to 6291456'],
    ['maxResponseBytes', 6_291_457, 'an integer from 1 to 6291456'],
  ])('%s of %d is refused', async (name, value, expected) => {
    await expect(call({ [name]: value })).rejects.toThrow(
      new RangeError(`Parameter "${name}" must be ${expected}, got another number`),
    );
  });

  test.each<[string, JsonValue, string, string]>([
    ['json', { a: [1, 'ü'] }, '{"a":[1,"ü"]}', 'application/json'],
    ['json', 'text', '"text"', 'application/json'],
    ['json', 0, '0', 'application/json'],
    ['json', false, 'false', 'application/json'],
    ['text', 'a=b', 'a=b', 'text/plain; charset=utf-8'],
    ['text', '', '', 'text/plain; charset=utf-8'],
    [
      'form',
      { a: 'x y&z', b: [1, 2], c: null, d: true },
      'a=x+y%26z&b=1&b=2&c=&d=true',
      'application/x-www-form-urlencoded',
    ],
    ['form', {}, '', 'application/x-www-form-urlencoded'],
  ])('a body as %s: %j', async (bodyType, body, sent, contentType) => {
    expect((await call({ method: 'POST', bodyType, body })).request).toMatchObject({
      body: sent,
      headers: { 'content-type': contentType },
    });
  });

  test('JSON by default', async () => {
    expect((await call({ body: [1] })).request).toMatchObject({ body: '[1]' });
  });

  test('no body and no content type for a body of null', async () => {
    for (const bodyType of ['json', 'text', 'form']) {
      const { request } = await call({ method: 'POST', bodyType, body: null });
      expect(request).toMatchObject({ body: null, headers: {} });
    }
  });

  test('its own content type, in any capitalisation', async () => {
    const { request } = await call({
      body: {},
      headers: { 'Content-TYPE': 'application/vnd.api+json', 'X-A': 'b' },
    });
    expect(request?.headers).toStrictEqual({ 'content-type': 'application/vnd.api+json', 'x-a': 'b' });
  });

  test('a header named __proto__ as a header', async () => {
    const { request } = await call({ headers: JSON.parse('{"__proto__":"x"}') });
    expect(Object.entries(request?.headers ?? {})).toEqual([['__proto__', 'x']]);
  });

  test('the query added to the query of the URL; a list repeats the name, null leaves it out', async () => {
    const { request } = await call({
      url: `${url}?page=1#top`,
      query: { page: 2, tag: ['a b', null, true, 'ü'], none: null, empty: '', nothing: [] },
    });
    expect(request?.url).toBe(`${url}?page=1&page=2&tag=a+b&tag=true&tag=%C3%BC&empty=#top`);
  });

  test('a URL without a query parameter unchanged', async () => {
    expect((await call({ url: `${url}?a=%20b+c&d` })).request?.url).toBe(`${url}?a=%20b+c&d`);
  });
});

describe('what httpRequest outputs', () => {
  test('status, headers, body, and the final URL', async () => {
    const headers = { 'content-type': 'application/json', 'x-a': '1, 2' };
    expect(await answering({ status: 201, headers, url: 'https://elsewhere.example/' })).toStrictEqual({
      status: 201,
      headers,
      body: { ok: true },
      url: 'https://elsewhere.example/',
    });
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON ;x=y',
    'application/problem+json',
    'application/vnd.api+json',
    'application/json, application/json',
  ])('%s is JSON', async (type) => {
    const body = Buffer.from('\ufeff[1,{"__proto__":2}]');
    const output = await answering({ headers: { 'content-type': type }, body });
    expect(JSON.stringify((output as JsonObject).body)).toBe('[1,{"__proto__":2}]');
  });

  test.each(['text/plain', 'text/json', 'application/jsonp', 'application/json-seq', ''])(
    '%j is text',
    async (type) => {
      expect(await answering({ headers: { 'content-type': type } })).toMatchObject({ body: '{"ok":true}' });
    },
  );

  test('a body without a type is text', async () => {
    expect(await answering({ headers: {}, body: Buffer.from('ü') })).toMatchObject({ body: 'ü' });
  });

  test('an empty body is an empty text, even as JSON', async () => {
    expect(await answering({ status: 204, body: Buffer.alloc(0) })).toMatchObject({ body: '' });
  });

  test.each<[string, number[], JsonValue]>([
    ['text/csv; charset=windows-1252', [0x80, 0xe9], '€é'],
    ['text/csv; charset="ISO-8859-15"', [0xa4], '€'],
    ['text/plain; charset=windows-1252', [0xc3, 0xa9], 'Ã©'],
    ['application/json; charset=iso-8859-1', [0x22, 0xe9, 0x22], 'é'],
    ['text/csv; charset=odd', [0xe9], { base64: '6Q==' }],
    ['text/csv; charset=utf-8', [0xe9], { base64: '6Q==' }],
  ])('%s is decoded by its charset', async (type, bytes, body) => {
    const output = await answering({ headers: { 'content-type': type }, body: Buffer.from(bytes) });
    expect(output).toMatchObject({ body });
  });

  test('a body that is not UTF-8 is base64, whatever its type', async () => {
    expect(await answering({ body: Buffer.from([0xff, 0, 0x80]) })).toMatchObject({
      body: { base64: '/wCA' },
    });
  });

  test('invalid JSON of type JSON fails the node without quoting it', async () => {
    await expect(answering({ body: Buffer.from('{"secret') })).rejects.toThrow(
      /^the response has a JSON content type but is not valid JSON$/,
    );
  });
});

describe('how httpRequest fails', () => {
  test.each([[400], [404], [500], [599]])('%d fails the node, naming only the host', async (status) => {
    await expect(
      call({ url: `${url}?key=hunter2`, headers: { 'x-key': 'hunter2' } }, { status }),
    ).rejects.toThrow(new RegExp(`^api\\.example\\.com answered ${status}$`));
  });

  test.each([[200], [302], [304], [399]])('%d does not', async (status) => {
    expect((await call({}, { status })).output).toMatchObject({ status });
  });

  test('with failOnStatus false, every status is an output', async () => {
    expect((await call({ failOnStatus: false }, { status: 500 })).output).toMatchObject({ status: 500 });
  });

  test('an invalid failOnStatus fails before anything is sent', async () => {
    const { context, requests } = aContextAnswering();
    await expect(
      runNode(httpRequest, 'httpRequest', { url, method: 'POST', failOnStatus: 'no' }, {}, context),
    ).rejects.toThrow('Parameter "failOnStatus" must be true or false, got string');
    expect(requests).toEqual([]);
  });

  test.each(['/orders?key=hunter2', 'hunter2', '', 'http://', 'http://[hunter2]/'])(
    '%j is not an absolute URL, and is not quoted',
    async (wrong) => {
      await expect(call({ url: wrong })).rejects.toThrow(/^Parameter "url" is not an absolute URL$/);
    },
  );
});
