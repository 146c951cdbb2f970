import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readApiKey, readBasic } from '../../lib/webhooks/authenticate.ts';

const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64');
const basic = (authorization: string) => readBasic({ authorization });

describe('an API key', () => {
  test.each([
    ['x-api-key', { 'x-api-key': 'k-1' }],
    ['a bearer token', { authorization: 'Bearer k-1' }],
    ['a bearer token, scheme in small letters', { authorization: 'bearer   k-1' }],
    ['x-api-key, when both are there', { 'x-api-key': 'k-1', authorization: 'Bearer other' }],
  ])('is read from %s', (_case, headers) => {
    expect(readApiKey(headers)).toEqual({ username: null, secret: 'k-1' });
  });

  test.each([
    ['no header', {}],
    ['an empty key', { 'x-api-key': '' }],
    ['an empty key beside a token', { 'x-api-key': '', authorization: 'Bearer k-1' }],
    ['another scheme', { authorization: `Basic ${base64('a:b')}` }],
    ['no token', { authorization: 'Bearer' }],
    ['an empty token', { authorization: 'Bearer  ' }],
    ['two tokens', { authorization: 'Bearer k-1 k-2' }],
    ['two headers, joined', { authorization: 'Bearer k-1,Bearer k-2' }],
    ['a bare key', { authorization: 'k-1' }],
  ])('is missing with %s', (_case, headers: Record<string, string>) => {
    expect(readApiKey(headers)).toBeNull();
  });
});

describe('a Basic login', () => {
  test('is read by RFC 7617 §2', () => {
    expect(basic('Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==')).toEqual({
      username: 'Aladdin',
      secret: 'open sesame',
    });
  });

  test('is read as UTF-8, RFC 7617 §2.1', () => {
    expect(basic('Basic dGVzdDoxMjPCow==')).toEqual({ username: 'test', secret: '123£' });
  });

  test.each([
    ['an empty user name', ':pw', { username: '', secret: 'pw' }],
    ['an empty password', 'ann:', { username: 'ann', secret: '' }],
    ['a colon in the password', 'ann:a:b', { username: 'ann', secret: 'a:b' }],
    ['a byte order mark', '\ufeffann:pw', { username: '\ufeffann', secret: 'pw' }],
  ])('can have %s', (_case, text, presented) => {
    expect(basic(`basic ${base64(text)}`)).toEqual(presented);
  });

  test.each([
    'Basic',
    'Basic ',
    `Bearer ${base64('a:b')}`,
    `Basic ${base64('no colon')}`,
    `Basic ${base64('a:b')} x`,
    `Basic ${base64('a:b')},Basic ${base64('a:c')}`,
    `Basic\t${base64('a:b')}`,
    'Basic QWxh@@ZGRpbjpvcGVuIHNlc2FtZQ==',
    'Basic QWxhZGRpbjpvcGVu\nIHNlc2FtZQ==',
    'Basic YTo-Pj8_',
    'Basic YTpi===',
    `Basic ${base64(Buffer.from('test:123\xa3', 'latin1'))}`,
  ])('is missing with %j', (authorization) => {
    expect(basic(authorization)).toBeNull();
  });

  test('is missing without the header', () => {
    expect(readBasic({ 'x-api-key': 'k' })).toBeNull();
  });

  test('any user name without a colon and any password are read back', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, (username, secret) => {
        fc.pre(!username.includes(':'));
        expect(basic(`Basic ${base64(`${username}:${secret}`)}`)).toEqual({ username, secret });
      }),
    );
  });
});
