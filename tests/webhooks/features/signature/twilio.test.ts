import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { readSignatures } from '../../../../lib/webhooks/features/signature/is-signed.ts';
import { schemes } from '../../../../lib/webhooks/features/signature/schemes.ts';
import { readTwilioContents } from '../../../../lib/webhooks/features/signature/twilio.ts';
import type { WebhookRequest } from '../../../../lib/webhooks/webhook.ts';

// The examples in the tests of https://github.com/twilio/twilio-node: with a token that is too short to be stored.
const TOKEN = '12345';
const HASH = '0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620';
const JSON_BODY = '{"property": "value", "boolean": true}';
const FORM =
  'CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212';

const isSigned = (
  url: string,
  { query, body, signature }: { query: string; body: string; signature: string },
  contentType = 'application/x-www-form-urlencoded; charset=utf-8',
  requestPath = '/myapp.php',
) => {
  const request: WebhookRequest = {
    method: 'POST',
    workflowId: 'calls',
    path: '/',
    requestPath,
    rawQueryString: query,
    headers: { host: 'mycompany.com', 'content-type': contentType, 'x-twilio-signature': signature },
    rawBody: Buffer.from(body),
    remoteAddress: '192.0.2.7',
    receivedAt: 0,
    requestId: '1',
  };
  return readTwilioContents(request, { scheme: 'twilio', ...(url === '' ? {} : { url }) }).some((content) =>
    readSignatures(schemes.twilio.ways ?? [], content)(TOKEN),
  );
};

const sign = (text: string) => createHmac('sha1', TOKEN).update(text).digest('base64');

const aForm = { query: 'foo=1&bar=2', body: FORM, signature: 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' };

test.each(['https://mycompany.com/myapp.php', ''])('a form is signed with the URL %j', (url) => {
  expect(isSigned(url, aForm)).toBe(true);
  expect(isSigned(url, { ...aForm, query: 'foo=1&bar=3' })).toBe(false);
  expect(isSigned(url, { ...aForm, body: FORM.replace('Digits=1234', 'Digits=1235') })).toBe(false);
});

test('a path that AWS has decoded is signed as it was sent', () => {
  const signed = (text: string) => ({
    query: 'a=%2F',
    body: 'b=1',
    signature: sign(`https://mycompany.com${text}?a=%2Fb1`),
  });
  const form = 'application/x-www-form-urlencoded';
  expect(isSigned('', signed('/calls%20in/%C3%BC%23'), form, '/calls in/ü#')).toBe(true);
  expect(isSigned('', signed('/calls in/ü#'), form, '/calls in/ü#')).toBe(false);
});

test('the standard port may be signed or left out', () => {
  expect(isSigned('https://mycompany.com:443/myapp.php', aForm)).toBe(true);
  expect(isSigned('http://mycompany.com/myapp.php', aForm)).toBe(false);
});

test.each([
  ['https://a.example', 'https://a.example:443', true],
  ['http://a.example/b', 'http://a.example:80/b', true],
  ['http://a.example/b', 'http://a.example:443/b', false],
  ['https://a.example:8443/b', 'https://a.example:8443/b', true],
  ['https://a.example:8443/b', 'https://a.example/b', true],
  ['https://a.example:8443/b', 'https://a.example:443/b', false],
  ['https://a.example?b=1:2', 'https://a.example:443?b=1:2', true],
  ['ftp://a.example/b', 'ftp://a.example/b', true],
])('the URL %s may be signed as %s: %j', (url, address, isRight) => {
  expect(isSigned(url, { query: '', body: '', signature: sign(address) })).toBe(isRight);
});

test('a form is read by its type in any case, an empty body without a type', () => {
  const signed = { query: '', body: 'a=1', signature: sign('https://a.examplea1') };
  expect(isSigned('https://a.example', signed, 'Application/X-WWW-Form-Urlencoded')).toBe(true);
  expect(() =>
    isSigned('https://a.example', signed, 'text/plain; application/x-www-form-urlencoded'),
  ).toThrow('not a form');
  expect(
    isSigned('https://a.example', { ...signed, body: '', signature: sign('https://a.example') }, ''),
  ).toBe(true);
});

test('a hash that is named twice, or in a longer name, matches nothing', () => {
  for (const query of [`bodySHA256=${HASH}&bodySHA256=${HASH}`, `xbodySHA256=${HASH}`])
    expect(() => isSigned('', { query, body: JSON_BODY, signature: 'x' })).toThrow('the body hash');
});

test('a different body is signed by its hash in the query', () => {
  const url = 'https://mycompany.com/myapp.php';
  const request = {
    query: `foo=1&bar=2&bodySHA256=${HASH}`,
    body: JSON_BODY,
    signature: 'a9nBmqA0ju/hNViExpshrM61xv4=',
  };
  expect(isSigned(url, request, 'application/json')).toBe(true);
  for (const body of [JSON_BODY.replace('true', 'null'), ' ', '', '&&&=', '{}'])
    for (const type of ['application/json', 'application/x-www-form-urlencoded', ''])
      expect(() => isSigned(url, { ...request, body }, type)).toThrow('the body hash');
  expect(() => isSigned(url, { ...request, query: 'foo=1&bar=2' }, 'application/json')).toThrow('its hash');
});

test('repeated names are signed in order, once per value', () => {
  const request = { query: '', body: 'b=2&a=y&a=x&a=y' };
  expect(isSigned('https://a.example', { ...request, signature: sign('https://a.exampleaxayb2') })).toBe(
    true,
  );
  expect(isSigned('https://a.example', { ...request, signature: sign('https://a.exampleayaxayb2') })).toBe(
    false,
  );
});

test('a form that is too large is not read', () => {
  const body = `a=${'x'.repeat(262_142)}`;
  expect(isSigned('', { ...aForm, body })).toBe(false);
  expect(() => isSigned('', { ...aForm, body: `${body}x` })).toThrow('larger than 262144 bytes');
});
