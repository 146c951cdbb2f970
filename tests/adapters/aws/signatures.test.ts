import { expect, test } from '@jest/globals';
import aws4 from 'aws4';
import fc from 'fast-check';
import { createSigner } from '../../../lib/adapters/aws/aws-caller.ts';

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const AT = Date.UTC(2015, 7, 30, 12, 36);
const SESSION =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==';
const LETTERS = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Vectors of AWS's test suite for SigV4 (aws-sig-v4-test-suite), all but those with two headers of one name or an unresolved path. */
test.each<[name: string, request: string, headers: Record<string, string>, signature: string]>([
  ['get-vanilla', 'GET /', {}, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'get-header-value-trim',
    'GET /',
    { 'my-header1': ' value1', 'my-header2': ' "a   b   c"' },
    'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  ],
  [
    'get-unreserved',
    `GET /${LETTERS}`,
    {},
    '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  ],
  [
    'get-vanilla-empty-query-key',
    'GET /?Param1=value1',
    {},
    'a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb',
  ],
  [
    'get-vanilla-query-order-key-case',
    'GET /?Param2=value2&Param1=value1',
    {},
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'get-vanilla-query-order-key',
    'GET /?Param1=value2&Param1=Value1',
    {},
    'eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1',
  ],
  [
    'get-vanilla-query-order-value',
    'GET /?Param1=value2&Param1=value1',
    {},
    '5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694',
  ],
  [
    'get-vanilla-query-unreserved',
    `GET /?${LETTERS}=${LETTERS}`,
    {},
    '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
  ],
  [
    'get-vanilla-utf8-query',
    'GET /?%E1%88%B4=bar',
    {},
    '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
  ],
  ['get-slash', 'GET //', {}, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['get-slashes', 'GET //example//', {}, '9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84'],
  ['post-vanilla', 'POST /', {}, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'post-header-key-sort',
    'POST /',
    { 'my-header1': 'value1' },
    'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  ],
  [
    'post-header-value-case',
    'POST /',
    { 'my-header1': 'VALUE1' },
    'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
  ],
  [
    'post-sts-header-before',
    'POST /',
    { session: SESSION },
    '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
  ],
  [
    'post-vanilla-query',
    'POST /?Param1=value1',
    {},
    '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
  ],
  [
    'post-x-www-form-urlencoded',
    'POST /',
    { 'content-type': 'application/x-www-form-urlencoded' },
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
])('signs %s of the test suite of AWS', (_name, request, { session, ...headers }, signature) => {
  const body = headers['content-type'] === undefined ? undefined : 'Param1=value1';
  const [method = '', path = ''] = request.split(' ');
  const call = { method, host: 'example.amazonaws.com', path, headers, body };
  const keys = session === undefined ? KEYS : { ...KEYS, sessionToken: session };
  const signed = createSigner('service', 'us-east-1')(call, keys, AT);
  expect(signed.authorization).toContain(
    'Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=',
  );
  expect(signed.authorization?.split('Signature=')[1]).toBe(signature);
});

test('signs each call as the library does, with one signer for several days and secrets', () => {
  const sign = { s3: createSigner('s3', 'eu-west-1'), lambda: createSigner('lambda', 'eu-west-1') };
  const word = fc
    .stringMatching(/^[A-Za-z0-9 :%/+=&*'()~._-]{1,12}$/)
    .filter((text) => text !== '__proto__') // which the library loses as the name of a parameter
    .map(encodeURIComponent);
  const aCall = fc.record({
    service: fc.constantFrom('s3' as const, 'lambda' as const),
    segments: fc.array(word, { maxLength: 3 }),
    query: fc.uniqueArray(fc.tuple(word, word), { maxLength: 3, selector: ([name]) => name }),
    body: fc.option(fc.string(), { nil: undefined }),
    sessionToken: fc.option(fc.stringMatching(/^[A-Za-z0-9/+=]{1,40}$/), { nil: undefined }),
    secretAccessKey: fc.constantFrom('one', 'other'),
    day: fc.integer({ min: 0, max: 2 }),
  });
  fc.assert(
    fc.property(aCall, ({ service, segments, query, body, sessionToken, secretAccessKey, day }) => {
      const search = query.length === 0 ? '' : `?${query.map((pair) => pair.join('=')).join('&')}`;
      const path = `/${segments.filter((segment) => !/^\.+$/.test(segment)).join('/')}${search}`;
      const call = {
        method: 'POST',
        host: 'x.amazonaws.com',
        path,
        headers: { 'content-type': 'text/plain' },
      };
      const keys = { accessKeyId: 'AKID', secretAccessKey, sessionToken };
      const signed = sign[service]({ ...call, body }, keys, AT + day * 86_400_000);
      const expected = aws4.sign(
        {
          ...call,
          service,
          region: 'eu-west-1',
          ...(body === undefined ? {} : { body }),
          headers: { ...call.headers, 'x-amz-date': signed['x-amz-date'] ?? '' },
          ...{ extraHeadersToIgnore: { 'content-length': true } },
        },
        { accessKeyId: 'AKID', secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
      );
      expect(signed.authorization).toBe(expected.headers?.Authorization);
    }),
  );
});
