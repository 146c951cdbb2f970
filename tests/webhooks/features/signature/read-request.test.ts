import { expect, test } from '@jest/globals';
import {
  createReadContent,
  readFields,
  readPlace,
  splitList,
  toPublicUrl,
} from '../../../../lib/webhooks/features/signature/read-request.ts';
import { type SignatureRule, toSchemeRow } from '../../../../lib/webhooks/features/signature/schemes.ts';
import type { WebhookRequest } from '../../../../lib/webhooks/webhook.ts';

const aRequest = (body = '{}', headers: WebhookRequest['headers'] = {}): WebhookRequest => ({
  method: 'PUT',
  workflowId: 'shop',
  path: '/',
  requestPath: '/hooks/shop',
  rawQueryString: 'a=1',
  headers,
  rawBody: Buffer.from(body),
  remoteAddress: '192.0.2.7',
  receivedAt: 0,
  requestId: '1',
});

test.each([
  ['v1=a', 'v1=', ['a']],
  ['t=1,v1=a;v1=b v1=c,v1=', 'v1=', ['a', 'b', 'c']],
  ['a,b', '', ['a', 'b']],
  ['v1,a v1,b', 'v1,', ['a', 'b']],
  ['s; a,s; b', 's; ', ['a', 'b']],
  ['', '', []],
])('the list %j has after %j the items %j', (value, prefix, items) => {
  expect(splitList(value, prefix)).toEqual(items);
});

const form = { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=utf-8' };

test.each<[string, WebhookRequest, Parameters<typeof readPlace>[1], string]>([
  ['the first header', aRequest('', { a: '1', b: '2' }), { headers: ['a', 'b'] }, '1'],
  ['the first header with a value', aRequest('', { a: '', b: '2' }), { headers: ['a', 'b'] }, '2'],
  ['a header before a field', aRequest('{"c":3}', { a: '1' }), { headers: ['a'], fields: ['c'] }, '1'],
  ['a field', aRequest('{"a":{"b":"x"}}'), { fields: ['a.b'] }, 'x'],
  ['a number', aRequest('{"a":17}'), { fields: ['a'] }, '17'],
  ['the first field with a value', aRequest('{"a":"","b":true,"c":"x"}'), { fields: ['a', 'b', 'c'] }, 'x'],
  ['a field of a form', aRequest('a=x&b=y', form), { fields: ['b'] }, 'y'],
])('the value of a place is %s', (_what, request, place, value) => {
  expect(readPlace({ ...request }, place)).toBe(value); // the fields of a request that is known are not read again
});

test.each<[WebhookRequest, Parameters<typeof readPlace>[1], string]>([
  [aRequest(), { headers: ['a', 'b'] }, 'header a or b is missing'],
  [aRequest('{"a":1}'), { fields: ['a.b', 'b'] }, 'field a.b or b is missing from the body'],
  [aRequest('{"a":"x"}'), { fields: ['a.length'] }, 'field a.length is missing from the body'],
  [aRequest('[1]'), { fields: ['0'] }, 'the body has no fields'],
  [aRequest('a=x'), { fields: ['a'] }, 'the body has no fields'],
])('a place without a value is refused', (request, place, reason) => {
  expect(() => readPlace(request, place)).toThrow(reason);
});

test('the fields of a body of a megabyte are read, and of no larger one', () => {
  const body = `{"a":"${'x'.repeat(1_048_568)}"}`;
  expect(Object.keys(readFields(aRequest(body)))).toEqual(['a']);
  expect(() => readFields(aRequest(`${body} `))).toThrow('the body is larger than 1048576 bytes');
});

test.each([
  ['a=1', undefined, 'https://gateway.example/hooks/shop?a=1'],
  ['', undefined, 'https://gateway.example/hooks/shop'],
  ['a=1', 'https://own.example/x', 'https://own.example/x?a=1'],
])('with the query %j and the base %j, the URL is %s', (rawQueryString, base, url) => {
  const request = { ...aRequest('', { host: 'gateway.example' }), rawQueryString };
  expect(toPublicUrl(request, base)).toBe(url);
  expect(toPublicUrl({ ...request, headers: {} }, base)).toBe(url.replace('gateway.example', ''));
});

const contentOf = (rule: Partial<SignatureRule>, request: WebhookRequest) => {
  const own: SignatureRule = { scheme: 'hmac', credentialId: 'c', header: 'X-Signed', ...rule };
  const { signature, pieces } = createReadContent(toSchemeRow(own), own)(request, 1_700_000_000_000);
  return { signature, text: pieces.map(String).join('') };
};
const signed = {
  'x-signed': 't=1700000000;s=a',
  'x-time': '1700000000',
  'x-old': '1699999000',
  'x-id': '7',
  host: 'gateway.example',
};

test.each<[Partial<SignatureRule>, string]>([
  [{}, '{"a":1}'],
  [{ signed: '{method} {path} {query} {body}' }, 'PUT /hooks/shop a=1 {"a":1}'],
  [{ signed: '{url}{body}' }, 'https://gateway.example/hooks/shop?a=1{"a":1}'],
  [{ signed: '{url}{body}', url: 'https://own.example' }, 'https://own.example?a=1{"a":1}'],
  [{ signed: '{headers.X-Id}{}{xy{body}body}' }, '7{}{xy{"a":1}body}'],
  [{ signed: '{timestamp}.{body}', timestampHeader: 'X-Time' }, '1700000000.{"a":1}'],
  [{ signed: '{timestamp}.{body}', timestampPrefix: 't=' }, '1700000000.{"a":1}'],
])('what %j signs is read from the request', (rule, text) => {
  expect(contentOf(rule, aRequest('{"a":1}', signed))).toEqual({ signature: 't=1700000000;s=a', text });
});

test.each<[Partial<SignatureRule>, string]>([
  [{ header: 'x-other' }, 'header x-other is missing'],
  [{ signed: '{headers.X-Other}{body}' }, 'header x-other is missing'],
  [{ signed: '{timestamp}{body}', timestampPrefix: 'time=' }, 'the signature has no timestamp'],
  [{ signed: '{timestamp}{body}', timestampHeader: 'x-old' }, 'the timestamp is 16 minutes old'],
])('a request without what %j signs is refused: %s', (rule, reason) => {
  expect(() => contentOf(rule, aRequest('{}', signed))).toThrow(reason);
});
