import { describe, expect, test } from '@jest/globals';
import { examineBody } from '../../lib/webhooks/examine-body.ts';

const examine = (body: string | Uint8Array, contentType?: string, more: Record<string, string> = {}) =>
  examineBody({
    rawBody: typeof body === 'string' ? Buffer.from(body) : body,
    headers: { ...(contentType === undefined ? {} : { 'content-type': contentType }), ...more },
  });
const latin1 = Buffer.from('{"a":"\xe9"}', 'latin1');

describe('what a body is', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    ' application/json ',
    'APPLICATION/JSON ; charset=utf-8',
    'application/json;',
    'application/cloudevents+json',
    'application/vnd.github.v3+json',
    'model/gltf+json',
  ])('%j is JSON', (contentType) => {
    expect(examine('{"a":1}', contentType)).toEqual({ kind: 'json', text: '{"a":1}' });
  });

  test.each([
    'application/json garbage',
    'application/json\ta',
    'application/jsonp',
    'application/json,application/json',
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
    expect(examine('{"a":1}', contentType)).toEqual({ kind: 'data', value: '{"a":1}' });
  });

  test.each([undefined, '', ' ', ';'])('without a type it has to be tried: %j', (contentType) => {
    expect(examine('{"a":1}', contentType)).toEqual({ kind: 'untyped', text: '{"a":1}' });
  });

  test('a form is a map', () => {
    expect(examine('a=1&b=x+y&a=2', 'application/x-www-form-urlencoded')).toEqual({
      kind: 'data',
      value: { a: ['1', '2'], b: 'x y' },
    });
  });

  test.each([undefined, 'application/json', 'text/plain', 'application/x-www-form-urlencoded', 'image/png'])(
    'no body is an empty map, whatever the type says: %s',
    (contentType) => {
      expect(examine('', contentType, { 'content-encoding': 'gzip' })).toEqual({ kind: 'data', value: {} });
    },
  );

  test.each(['application/json', 'application/x-www-form-urlencoded'])('%s must be UTF-8', (contentType) => {
    expect(() => examine(latin1, contentType)).toThrow(
      expect.objectContaining({ code: 'BODY_INVALID', message: expect.stringContaining('not UTF-8') }),
    );
  });

  test.each(['text/plain; charset=iso-8859-1', 'image/png', ''])(
    'what is not text travels as base64, with its type: %j',
    (contentType) => {
      expect(examine(latin1, contentType)).toEqual({
        kind: 'data',
        value: { base64: latin1.toString('base64'), contentType },
      });
    },
  );

  test('a byte order mark is no part of the text', () => {
    expect(examine('\ufeff{}', 'application/json')).toEqual({ kind: 'json', text: '{}' });
  });

  test.each(['gzip', 'br', 'identity, gzip', 'GZIP'])('what is compressed is refused: %s', (encoding) => {
    expect(() => examine('x', 'text/plain', { 'content-encoding': encoding })).toThrow(
      expect.objectContaining({ code: 'BODY_INVALID' }),
    );
  });

  test.each(['identity', ' Identity ', ''])('what is not compressed may say so: %j', (encoding) => {
    expect(examine('x', 'text/plain', { 'content-encoding': encoding })).toEqual({
      kind: 'data',
      value: 'x',
    });
  });
});
