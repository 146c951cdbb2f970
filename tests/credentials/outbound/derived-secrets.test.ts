import { expect, test } from '@jest/globals';
import { findDerivedSecrets } from '../../../lib/credentials/outbound/outbound-credentials.ts';
import { anOutboundRequest } from '../../support/an-outbound-request.ts';

const URL_BEFORE = 'https://api.example.com/?page=2';

test.each<[string, Readonly<Record<string, string>>, string, string[]]>([
  [
    'a header, and what follows its scheme',
    { authorization: 'Bearer token-1' },
    URL_BEFORE,
    ['Bearer token-1', 'token-1'],
  ],
  ['a header without a scheme', { 'x-key': 'key-1' }, URL_BEFORE, ['key-1']],
  ['a header with more than one value after a scheme', { cookie: 'a b c' }, URL_BEFORE, ['a b c']],
  [
    'a header of the request that was replaced',
    { accept: 'text/html', 'x-mine': 'token-2' },
    URL_BEFORE,
    ['token-2'],
  ],
  ['no header of the request', { 'x-mine': 'mine' }, URL_BEFORE, []],
  ['no header that describes the request', { Date: 'today', 'X-Amz-Date': 'today' }, URL_BEFORE, []],
  ['no signature', { authorization: 'AWS4-HMAC-SHA256 Credential=a, Signature=b' }, URL_BEFORE, []],
  ['a new parameter', {}, `${URL_BEFORE}&key=key%201&page=3`, ['key 1', '3']],
  ['a parameter of a URL without any', {}, 'https://other.example/?key=key-1', ['key-1']],
  ['nothing of text that is not a URL', {}, 'no URL', []],
])('a type derives %s', (_case, headers, url, secrets) => {
  const before = anOutboundRequest(URL_BEFORE, { headers: { 'x-mine': 'mine', accept: '*/*' } });
  expect(findDerivedSecrets(before, anOutboundRequest(url, { headers }))).toEqual(secrets);
});

test('a type that sets the URL derives its parameters, whatever the URL of the node was', () => {
  const after = anOutboundRequest('https://hooks.example.com/?sig=signature-1');
  expect(findDerivedSecrets(anOutboundRequest('chat'), after)).toEqual(['signature-1']);
});
