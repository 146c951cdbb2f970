import { createPublicKey } from 'node:crypto';
import type { JsonObject } from '@hookloom/plugin-kit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';
import { aProblem, bodyOf } from '../../../support/a-problem.ts';
import { aSignedService } from '../../../support/a-signed-service.ts';

const NOW = 1_700_000_000;

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

const issuer = 'https://issuer.example.com';
const audience = 'https://hooks.example.com';
const jwksUrl = 'https://issuer.example.com/keys';
const rule = { scheme: 'jwt', issuer, audience, algorithms: ['ES256'] };

const bearing = (token: string) => ({ body: '{}', headers: { authorization: `Bearer ${token}` } });

const aToken = (key: Keys['privateKey'] | Uint8Array, changes: JsonObject = {}, alg = 'ES256', kid = 'a') =>
  new SignJWT({ iss: issuer, aud: audience, exp: NOW + 60, ...changes })
    .setProtectedHeader({ alg, kid })
    .sign(key);

describe('a bearer token', () => {
  let keys: Keys;
  let others: Keys;
  let pem: string;
  const aServiceFor = (changes: JsonObject = {}, secrets = [pem]) =>
    aSignedService({ signature: { ...rule, credentialId: 'sender', ...changes } }, { secrets });

  beforeAll(async () => {
    keys = await generateKeyPair('ES256');
    others = await generateKeyPair('ES256');
    pem = await exportSPKI(keys.publicKey);
  });

  test('is accepted with the public key of the credential, and the workflow does not see it', async () => {
    const { receive, send } = await aServiceFor();
    const answer = await receive(bearing(await aToken(keys.privateKey)));
    expect(answer.statusCode).toBe(200);
    expect(bodyOf(answer).headers.authorization).toBe('[redacted]');
    expect(await send(bearing(await aToken(keys.privateKey, { aud: ['x', audience] })))).toBe(200);
  });

  test('is not passed on to a workflow that names its header', async () => {
    const service = await aServiceFor();
    const read = { type: 'set', parameters: { values: { sent: '{{ headers.authorization }}' } } };
    const signature = { ...rule, credentialId: 'sender' };
    await service.put({ id: 'curious', webhook: { signature }, chain: [read] });
    const answer = await service.receive({
      ...bearing(await aToken(keys.privateKey)),
      workflowId: 'curious',
    });
    expect(bodyOf(answer)).toEqual({ sent: '[redacted]' });
  });

  test.each<[string, JsonObject, string]>([
    ['has expired', { exp: NOW - 61 }, 'the token has expired'],
    ['has no end', { exp: undefined as never }, 'claim exp is missing or has a different value'],
    ['is not valid yet', { nbf: NOW + 61 }, 'claim nbf is missing or has a different value'],
    [
      'has a different issuer',
      { iss: 'https://other.example.com' },
      'claim iss is missing or has a different value',
    ],
    [
      'is for another receiver',
      { aud: 'https://other.example.com' },
      'claim aud is missing or has a different value',
    ],
    ['is for no receiver', { aud: undefined as never }, 'claim aud is missing or has a different value'],
  ])('that %s is refused', async (_case, claims, reason) => {
    const { receive, lastLine } = await aServiceFor();
    const answer = await receive(bearing(await aToken(keys.privateKey, claims)));
    expect(answer).toEqual(aProblem(401, 'signature-invalid'));
    expect(answer.headers).toMatchObject({
      'www-authenticate': 'Bearer realm="hookloom", error="invalid_token"',
    });
    expect(lastLine()).toMatchObject({ reason: `signature: ${reason}` });
  });

  test('within the tolerance is accepted', async () => {
    const { send } = await aServiceFor();
    expect(await send(bearing(await aToken(keys.privateKey, { exp: NOW - 59 })))).toBe(200);
  });

  test('with another key, algorithm or form is refused', async () => {
    const { send, lastLine } = await aServiceFor();
    const token = await aToken(keys.privateKey);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const shared = await aToken(new TextEncoder().encode(pem), {}, 'HS256');
    const wrong: [string, string][] = [
      [await aToken(others.privateKey), 'the token is signed with a different key'],
      [
        `${header}.${payload}.${signature.replace(/^./, (c) => (c === 'A' ? 'B' : 'A'))}`,
        'the token is signed with a different key',
      ],
      [`${none}.${payload}.`, 'algorithm not allowed'],
      [shared, 'algorithm not allowed'],
      ['x', 'the token is malformed'],
      ['a.b.c', 'the token is malformed'],
      ['a'.repeat(16_384), 'the token is malformed'],
      ['a'.repeat(16_385), 'the token is too long'],
    ];
    for (const [text, reason] of wrong) {
      expect(await send(bearing(text))).toBe(401);
      expect(lastLine()).toMatchObject({ reason: `signature: ${reason}` });
    }
  });

  // RFC 6750 §3.1
  test.each<[string | undefined, number, string]>([
    [undefined, 401, 'Bearer realm="hookloom"'],
    ['Basic YTpi', 401, 'Bearer realm="hookloom"'],
    ['Bearerx a.b.c', 401, 'Bearer realm="hookloom"'],
    ['Bearer', 400, 'Bearer realm="hookloom", error="invalid_request"'],
    ['Bearer !', 400, 'Bearer realm="hookloom", error="invalid_request"'],
    ['bearer a.b.c d', 400, 'Bearer realm="hookloom", error="invalid_request"'],
    ['Bearer a.b.c', 401, 'Bearer realm="hookloom", error="invalid_token"'],
  ])('in the header %j is answered %d', async (authorization, status, challenge) => {
    const { receive, executions, lastLine } = await aServiceFor();
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await receive({ body: '{}', headers });
    expect([answer.statusCode, answer.headers]).toMatchObject([status, { 'www-authenticate': challenge }]);
    expect(lastLine().reason).toMatch(/^signature: /);
    expect(executions.records()).toEqual([]);
  });

  test('of the key before the last rotation is accepted', async () => {
    const { send } = await aServiceFor({}, [await exportSPKI(others.publicKey), pem]);
    expect(await send(bearing(await aToken(keys.privateKey)))).toBe(200);
  });

  test.each<[string, JsonObject, () => string]>([
    ['a public key in PEM for a shared secret', { algorithms: ['HS256'] }, () => pem],
    ['a secret that is no public key', {}, () => 'not-a-key'],
  ])('is never verified with %s: 503', async (_case, changes, secret) => {
    const { send } = await aServiceFor(changes, [secret()]);
    const token = await aToken(new TextEncoder().encode(secret()), {}, 'HS256');
    const own = await aToken(keys.privateKey);
    expect(await send(bearing(changes.algorithms === undefined ? own : token))).toBe(503);
  });

  describe('with keys at a URL', () => {
    const aJwksService = async (answer: () => JsonObject | { readonly keys: readonly JWK[] } | number) =>
      aSignedService(
        { signature: { ...rule, jwksUrl } },
        {
          answer: () => {
            const found = answer();
            return typeof found === 'number' ? { status: found } : { text: JSON.stringify(found) };
          },
        },
      );
    const toJwk = async ({ publicKey }: Keys, kid: string) => ({
      ...(await exportJWK(publicKey)),
      kid,
      alg: 'ES256',
    });

    test('is accepted; the keys are read once in ten minutes', async () => {
      const set = { keys: [await toJwk(keys, 'a')] };
      const { send, outbound, clock } = await aJwksService(() => set);
      const request = bearing(await aToken(keys.privateKey, { exp: NOW + 3_600 }));
      for (let count = 0; count < 3; count++) expect(await send(request)).toBe(200);
      expect(outbound.server.requests).toMatchObject([
        { method: 'GET', url: jwksUrl, maxResponseBytes: 262_144 },
      ]);
      clock.advance(600_000);
      expect(await send(request)).toBe(200);
      expect(outbound.server.requests).toHaveLength(2);
    });

    test('with a new key has them read again, however many such tokens there are', async () => {
      let set = { keys: [await toJwk(keys, 'a')] };
      const { send, outbound, clock } = await aJwksService(() => set);
      expect(await send(bearing(await aToken(keys.privateKey)))).toBe(200);
      set = { keys: [await toJwk(others, 'b')] };
      const request = bearing(await aToken(others.privateKey, { exp: NOW + 3_600 }, 'ES256', 'b'));
      for (let count = 0; count < 20; count++) expect(await send(request)).toBe(401);
      expect(outbound.server.requests).toHaveLength(1);
      clock.advance(30_000);
      expect(await Promise.all([send(request), send(request)])).toEqual([200, 200]);
      expect(outbound.server.requests).toHaveLength(2);
    });

    test('with a key that is in neither the known set nor the latest is refused', async () => {
      const set = { keys: [await toJwk(keys, 'a')] };
      const { send, outbound, clock } = await aJwksService(() => set);
      expect(await send(bearing(await aToken(keys.privateKey)))).toBe(200);
      clock.advance(30_000);
      for (const kid of ['a', 'b'])
        expect(await send(bearing(await aToken(others.privateKey, {}, 'ES256', kid)))).toBe(401);
      expect(outbound.server.requests).toHaveLength(2);
    });

    test.each([
      ['answers 500', () => 500],
      ['has no set of keys', () => ({ keys: 'none' })],
    ])('whose URL %s is answered 503, and is requested once in five seconds', async (_case, answer) => {
      const { receive, outbound, clock } = await aJwksService(answer);
      const request = bearing(await aToken(keys.privateKey));
      for (let count = 0; count < 5; count++)
        expect(await receive(request)).toEqual(aProblem(503, 'sender-keys-unavailable'));
      expect(outbound.server.requests).toHaveLength(1);
      clock.advance(5_000);
      await receive(request);
      expect(outbound.server.requests).toHaveLength(2);
    });
  });
});

describe('the examples of RFC 7515, appendix A', () => {
  const exp = 1_300_819_380_000;
  const claims =
    'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ';
  const ec = {
    kty: 'EC',
    crv: 'P-256',
    x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  };
  const cases: [string, JsonObject, string, string][] = [
    [
      'A.1, HMAC',
      { algorithms: ['HS256'], secretEncoding: 'base64' },
      'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
      `eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.${claims}.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`,
    ],
    [
      'A.3, ECDSA',
      { algorithms: ['ES256'] },
      createPublicKey({ key: ec, format: 'jwk' }).export({ format: 'pem', type: 'spki' }).toString(),
      `eyJhbGciOiJFUzI1NiJ9.${claims}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q`,
    ],
  ];

  test.each(cases)('%s', async (_case, own, secret, token) => {
    const signature = { scheme: 'jwt', credentialId: 'sender', issuer: 'joe', ...own };
    const { send, clock } = await aSignedService({ signature }, { secrets: [secret], at: exp });
    expect(await send(bearing(token))).toBe(200);
    clock.advance(60_000);
    expect(await send(bearing(token))).toBe(401);
  });
});
