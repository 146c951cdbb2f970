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
) => {
  const request: WebhookRequest = {
    method: 'POST',
    workflowId: 'calls',
    path: '/',
    requestPath: '/myapp.php',
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

const aForm = { query: 'foo=1&bar=2', body: FORM, signature: 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' };

test.each(['https://mycompany.com/myapp.php', ''])('a form is signed with the URL %j', (url) => {
  expect(isSigned(url, aForm)).toBe(true);
  expect(isSigned(url, { ...aForm, query: 'foo=1&bar=3' })).toBe(false);
  expect(isSigned(url, { ...aForm, body: FORM.replace('Digits=1234', 'Digits=1235') })).toBe(false);
});

test('the standard port may be signed or left out', () => {
  expect(isSigned('https://mycompany.com:443/myapp.php', aForm)).toBe(true);
  expect(isSigned('http://mycompany.com/myapp.php', aForm)).toBe(false);
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
  const sign = (text: string) => createHmac('sha1', TOKEN).update(text).digest('base64');
  const request = { query: '', body: 'b=2&a=y&a=x&a=y' };
  expect(isSigned('https://a.example', { ...request, signature: sign('https://a.exampleaxayb2') })).toBe(
    true,
  );
  expect(isSigned('https://a.example', { ...request, signature: sign('https://a.exampleayaxayb2') })).toBe(
    false,
  );
});

test('a form that is too large is not read', () => {
  expect(() => isSigned('', { ...aForm, body: 'a'.repeat(262_145) })).toThrow('larger than 262144 bytes');
});
