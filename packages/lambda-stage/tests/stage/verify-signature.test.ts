import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import aws4 from 'aws4';
import { type ReceivedRequest, verifySignature } from '../../src/stage/door/verify-signature.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const MINUTE = 60_000;

const userKeys = { accessKeyId: 'AKIAUSER', secretAccessKey: 'secret-of-the-user' };
const sessionKeys = {
  accessKeyId: 'ASIASESSION',
  secretAccessKey: 'secret-of-the-session',
  sessionToken: 'token/+=',
};
const entries = [
  { ...userKeys, sessionToken: undefined, expiresAt: undefined, owner: 'user' },
  { ...sessionKeys, expiresAt: NOW + 30 * MINUTE, owner: 'session' },
];

interface Signing {
  readonly service?: string;
  readonly region?: string;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly keys?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  readonly at?: number;
}

const toDate = (time: number) => new Date(time).toISOString().replace(/[:-]|\.\d{3}/g, '');

/** A request as the product signs it, as it arrives at a server. */
const aRequest = (signing: Signing = {}): ReceivedRequest => {
  const {
    service = 'dynamodb',
    region = 'eu-west-1',
    method = 'POST',
    path = '/',
    keys = sessionKeys,
  } = signing;
  const { body = '{"TableName":"orders"}', headers = {}, at = NOW } = signing;
  const host = `${service}.${region}.amazonaws.com`;
  const dated = { 'X-Amz-Date': toDate(at), 'x-amz-target': 'DynamoDB_20120810.GetItem', ...headers };
  const signed = aws4.sign({ service, region, host, method, path, headers: dated, body }, keys);
  return {
    method,
    url: signed.path ?? path,
    headers: lowerCase(signed.headers ?? {}),
    body: Buffer.from(body),
  };
};

const lowerCase = (headers: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

const verify = (request: ReceivedRequest, { service = 'dynamodb', region = 'eu-west-1', now = NOW } = {}) =>
  verifySignature(request, {
    service,
    region,
    now,
    findKeys: (id) => entries.find(({ accessKeyId }) => accessKeyId === id) ?? null,
  });

describe('a request signed by aws4 is accepted:', () => {
  const binary = String.fromCharCode(...Array.from({ length: 128 }, (_, at) => at));
  test.each<[string, Signing]>([
    ['with the keys of a session', {}],
    ['with the keys of a user', { keys: userKeys }],
    ['without a body', { method: 'GET', body: '' }],
    ['with any characters in the body', { body: `ä€😀${binary}` }],
    ['with a query', { method: 'GET', path: '/a?b=%C3%A4&a=1&a=0&c=&d=x%2Fy%20z%2B' }],
    ['with an encoded path', { service: 'lambda', path: '/2015-03-31/functions/name%3Adurable/invocations' }],
    [
      'with an ARN in the path',
      {
        service: 'lambda',
        path: '/2025-12-01/durable-executions/arn%3Aaws%3Alambda%3A1%2Fa%2Fb/state?Marker=a%3D%3D',
      },
    ],
    ['with a slash at the end', { service: 'lambda', path: '/2015-03-31/event-source-mappings/' }],
    ['with headers that have spaces', { headers: { 'x-amz-meta-a': '  a   b  ' } }],
    ['for S3', { service: 's3', method: 'PUT', path: '/executions/a%20b/%C3%A4(1)' }],
    [
      'for S3 with a body that is not signed',
      { service: 's3', method: 'PUT', headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } },
    ],
    ['four minutes ago', { at: NOW - 4 * MINUTE }],
    ['four minutes ahead', { at: NOW + 4 * MINUTE }],
  ])('%s', async (_, signing) => {
    const verified = await verify(aRequest(signing), { service: signing.service ?? 'dynamodb' });
    expect(verified).toMatchObject({ problem: null, owner: signing.keys === userKeys ? 'user' : 'session' });
  });
});

describe('a request with one thing altered is refused:', () => {
  const withHeader = (name: string, value: string | undefined) => (request: ReceivedRequest) => ({
    ...request,
    headers: { ...request.headers, [name]: value },
  });
  const inAuthorization = (from: string | RegExp, to: string) => (request: ReceivedRequest) =>
    withHeader('authorization', String(request.headers.authorization).replace(from, to))(request);

  test.each<[string, string, (request: ReceivedRequest) => ReceivedRequest]>([
    ['the method', 'mismatch', (request) => ({ ...request, method: 'PUT' })],
    ['the path', 'mismatch', (request) => ({ ...request, url: '/other' })],
    ['the query', 'mismatch', (request) => ({ ...request, url: '/?a=1' })],
    ['the body', 'mismatch', (request) => ({ ...request, body: Buffer.from('{"TableName":"others"}') })],
    [
      'a byte more of the body',
      'mismatch',
      (request) => ({ ...request, body: Buffer.concat([request.body, Buffer.from(' ')]) }),
    ],
    ['the host', 'mismatch', withHeader('host', 'dynamodb.us-east-1.amazonaws.com')],
    ['a signed header', 'mismatch', withHeader('x-amz-target', 'DynamoDB_20120810.DeleteTable')],
    ['a signed header that is missing', 'mismatch', withHeader('x-amz-target', undefined)],
    ['a header of AWS that is added', 'unsignedHeader', withHeader('x-amz-acl', 'public-read')],
    ['the date', 'mismatch', withHeader('x-amz-date', toDate(NOW + 1_000))],
    ['the date, which is missing', 'malformed', withHeader('x-amz-date', undefined)],
    ['the day of the scope', 'otherScope', inAuthorization('/20261122/', '/20261121/')],
    ['the region of the scope', 'otherScope', inAuthorization('/eu-west-1/', '/us-east-1/')],
    ['the service of the scope', 'otherScope', inAuthorization('/dynamodb/', '/s3/')],
    ['the end of the scope', 'otherScope', inAuthorization('aws4_request', 'aws5_request')],
    ['the key', 'unknownKey', inAuthorization('ASIASESSION', 'ASIASESSIOM')],
    ["another's key", 'otherToken', inAuthorization('ASIASESSION', 'AKIAUSER')],
    ['the token', 'otherToken', withHeader('x-amz-security-token', 'token/+-')],
    ['the token, which is missing', 'otherToken', withHeader('x-amz-security-token', undefined)],
    ['the signature', 'mismatch', inAuthorization(/Signature=\w/, 'Signature=f')],
    ['the signature, cut short', 'malformed', inAuthorization(/\w$/, '')],
    [
      'the signature, in capitals',
      'malformed',
      (request) =>
        inAuthorization(
          /Signature=\w+$/,
          (String(request.headers.authorization).match(/Signature=\w+$/)?.[0] ?? '').toUpperCase(),
        )(request),
    ],
    ['the host, which is not signed', 'malformed', inAuthorization('host;', '')],
    ['the order of the signed headers', 'malformed', inAuthorization('host;x-amz-date', 'x-amz-date;host')],
    ['the algorithm', 'malformed', inAuthorization('HMAC-SHA256', 'HMAC-SHA512')],
    ['the authorization, which is missing', 'notSigned', withHeader('authorization', undefined)],
    ['a second authorization', 'malformed', (request) => ({ ...request, url: '/?X-Amz-Signature=1' })],
  ])('%s', async (_, problem, spoil) => {
    const request = aRequest();
    expect((await verify(request)).problem).toBeNull();
    expect(await verify(spoil(request))).toMatchObject({ owner: null, problem });
  });

  test.each([
    ['another secret', { keys: { ...sessionKeys, secretAccessKey: 'guessed' } }, 'mismatch'],
    ['six minutes ago', { at: NOW - 6 * MINUTE }, 'otherTime'],
    ['six minutes ahead', { at: NOW + 6 * MINUTE }, 'otherTime'],
  ])('it is signed with %s', async (_, signing, problem) => {
    expect(await verify(aRequest(signing))).toMatchObject({ problem });
  });

  test('the session has ended', async () => {
    const now = NOW + 30 * MINUTE;
    expect(await verify(aRequest({ at: now }), { now })).toMatchObject({ problem: 'expiredToken' });
  });

  test('a stated hash belongs to another body', async () => {
    const stated = createHash('sha256').update('other').digest('hex');
    const request = aRequest({ headers: { 'x-amz-content-sha256': stated } });
    expect(await verify(request)).toMatchObject({ problem: 'otherBody' });
    expect(await verify(aRequest({ headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } }))).toMatchObject(
      { problem: 'otherBody' },
    );
    const ofS3 = aRequest({ service: 's3', headers: { 'x-amz-content-sha256': stated } });
    expect(await verify(ofS3, { service: 's3' })).toMatchObject({ problem: 'otherBody' });
  });

  test('S3 tolerates a quarter of an hour', async () => {
    const at = (minutes: number) =>
      verify(aRequest({ service: 's3', at: NOW - minutes * MINUTE }), { service: 's3' });
    expect([(await at(14)).problem, (await at(16)).problem]).toEqual([null, 'otherTime']);
  });
});

describe('a presigned URL', () => {
  const headers = { 'x-amz-checksum-sha256': 'abc=', 'if-none-match': '*' };
  const aPresigned = (keys: Signing['keys'] = sessionKeys): ReceivedRequest => {
    const host = 'blobs.s3.eu-west-1.amazonaws.com';
    const from = new Date(NOW).toISOString().replace(/[:-]|\.\d{3}/g, '');
    const path = `/executions/a b/ä?X-Amz-Date=${from}&X-Amz-Expires=600`;
    const { path: url = '' } = aws4.sign(
      { service: 's3', region: 'eu-west-1', host, method: 'PUT', path, headers, signQuery: true },
      keys,
    );
    return { method: 'PUT', url, headers: { host, ...headers }, body: Buffer.from('any bytes') };
  };
  const ofS3 = { service: 's3' };

  test.each([0, 599_000])('is accepted %i ms later, with any body', async (ms) => {
    expect((await verify(aPresigned(), { ...ofS3, now: NOW + ms })).problem).toBeNull();
  });

  test.each<[string, string, (request: ReceivedRequest) => ReceivedRequest]>([
    ['the method', 'mismatch', (request) => ({ ...request, method: 'GET' })],
    [
      'the key',
      'mismatch',
      (request) => ({ ...request, url: request.url.replace('executions', 'executionz') }),
    ],
    [
      'a signed header',
      'mismatch',
      (request) => ({ ...request, headers: { ...request.headers, 'x-amz-checksum-sha256': 'abd=' } }),
    ],
    [
      'a signed header that is missing',
      'mismatch',
      ({ headers: { 'if-none-match': _, ...rest }, ...request }) => ({ ...request, headers: rest }),
    ],
    [
      'a header of AWS that is added',
      'unsignedHeader',
      (request) => ({ ...request, headers: { ...request.headers, 'x-amz-acl': 'private' } }),
    ],
    ['a parameter that is added', 'mismatch', (request) => ({ ...request, url: `${request.url}&tagging` })],
    [
      'the time that it lasts',
      'mismatch',
      (request) => ({ ...request, url: request.url.replace('X-Amz-Expires=600', 'X-Amz-Expires=900') }),
    ],
    [
      'a time that is too long',
      'malformed',
      (request) => ({ ...request, url: request.url.replace('X-Amz-Expires=600', 'X-Amz-Expires=604801') }),
    ],
    [
      'a repeated parameter',
      'malformed',
      (request) => ({ ...request, url: `${request.url}&X-Amz-Expires=600` }),
    ],
    [
      'the token',
      'otherToken',
      (request) => ({ ...request, url: request.url.replace('Security-Token=token', 'Security-Token=tokem') }),
    ],
    [
      'the signature',
      'mismatch',
      (request) => ({ ...request, url: request.url.replace(/(Signature=)\w/, '$1f') }),
    ],
  ])('with %s altered is refused', async (_, problem, spoil) => {
    expect(await verify(spoil(aPresigned()), ofS3)).toMatchObject({ problem });
  });

  test('is refused before its time', async () => {
    expect(await verify(aPresigned(userKeys), { ...ofS3, now: NOW - 14 * MINUTE })).toMatchObject({
      problem: null,
    });
    expect(await verify(aPresigned(userKeys), { ...ofS3, now: NOW - 16 * MINUTE })).toMatchObject({
      problem: 'otherTime',
    });
  });

  test('is refused when it or the session of its keys has expired', async () => {
    expect(await verify(aPresigned(), { ...ofS3, now: NOW + 600_000 })).toMatchObject({
      problem: 'expiredUrl',
    });
    expect(await verify(aPresigned(), { ...ofS3, now: NOW + 30 * MINUTE })).toMatchObject({
      problem: 'expiredToken',
    });
    expect((await verify(aPresigned(userKeys), ofS3)).problem).toBeNull();
  });
});
