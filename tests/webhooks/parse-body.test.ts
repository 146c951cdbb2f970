import { describe, expect, test } from '@jest/globals';
import { parseBody } from '../../lib/webhooks/parse-body.ts';

/** Parses a body; what goes to one of the parsers is marked with its name. */
const parse = (body: string | Uint8Array, contentType?: string, more: Record<string, string> = {}) =>
  parseBody(
    {
      rawBody: typeof body === 'string' ? Buffer.from(body) : body,
      headers: { ...(contentType === undefined ? {} : { 'content-type': contentType }), ...more },
    },
    (json) => ({ json }),
    (untyped) => ({ untyped }),
  );
const latin1 = Buffer.from('{"a":"\xe9"}', 'latin1');

describe('a request body', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    ' application/json ',
    'APPLICATION/JSON ; charset=utf-8',
    'application/json;',
    'application/cloudevents+json',
    'application/vnd.github.v3+json',
    'model/gltf+json',
    'application/json,application/json',
    'application/json; charset=utf-8, application/json; charset=utf-8',
  ])('%j is parsed as JSON', (contentType) => {
    expect(parse('{"a":1}', contentType)).toEqual({ json: '{"a":1}' });
  });

  test.each([
    'application/json garbage',
    'application/json\ta',
    'application/jsonp',
    'xapplication/json',
    'text/json',
    'application/+json',
    'application/a b+json',
    'application/xml+json/x',
    '+json',
    'text/plain',
    'text/plain; charset=utf-8',
    'multipart/form-data; boundary=x',
  ])('%j is text', (contentType) => {
    expect(parse('{"a":1}', contentType)).toEqual('{"a":1}');
  });

  test.each([undefined, '', ' ', ';'])(
    'without a content type has a parser of its own: %j',
    (contentType) => {
      expect(parse('{"a":1}', contentType)).toEqual({ untyped: '{"a":1}' });
    },
  );

  test('a form is an object', () => {
    expect(parse('a=1&b=x+y&a=2', 'application/x-www-form-urlencoded')).toEqual({ a: ['1', '2'], b: 'x y' });
  });

  test.each([undefined, 'application/json', 'text/plain', 'application/x-www-form-urlencoded', 'image/png'])(
    'an empty body is an empty object, whatever its content type: %s',
    (contentType) => {
      expect(parse('', contentType, { 'content-encoding': 'gzip' })).toEqual({});
    },
  );

  test.each(['application/json', 'application/x-www-form-urlencoded'])('%s must be UTF-8', (contentType) => {
    expect(() => parse(latin1, contentType)).toThrow(
      expect.objectContaining({ code: 'BODY_INVALID', message: expect.stringContaining('not UTF-8') }),
    );
  });

  test.each(['text/plain; charset=iso-8859-1', 'image/png', ''])(
    'bytes that are not text become base64, with their content type: %j',
    (contentType) => {
      expect(parse(latin1, contentType)).toEqual({ base64: latin1.toString('base64'), contentType });
    },
  );

  test('drops a byte order mark', () => {
    expect(parse('\ufeff{}', 'application/json')).toEqual({ json: '{}' });
  });

  test.each(['gzip', 'br', 'identity, gzip', 'GZIP'])('refuses a compressed body: %s', (encoding) => {
    expect(() => parse('x', 'text/plain', { 'content-encoding': encoding })).toThrow(
      expect.objectContaining({ code: 'BODY_INVALID' }),
    );
  });

  test.each(['identity', ' Identity ', ''])('accepts the content encoding %j', (encoding) => {
    expect(parse('x', 'text/plain', { 'content-encoding': encoding })).toEqual('x');
  });
});
