import { createVerify, generateKeyPairSync } from 'node:crypto';
import type { CredentialFields } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { parseSecret } from '../../../lib/credentials/outbound/load-credential.ts';
import { googleServiceAccount } from '../../../nodes/credential-types/google-service-account.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { anOutboundRequest } from '../../support/an-outbound-request.ts';
import { type Answer, aServer, noTcp } from '../../support/outbound-credentials.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

const aKey = (changes: object = {}): string =>
  JSON.stringify({
    type: 'service_account',
    client_email: 'robot@shop.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    private_key_id: 'key-1',
    ...changes,
  });

const SHEETS = 'https://www.googleapis.com/auth/spreadsheets';

const aClient = (answer: Answer = () => ({ text: '{"access_token":"access-1","expires_in":3599}' })) => {
  const http = aServer(answer);
  const clock = aManualClock();
  const context = { http, tcp: noTcp, clock, signal: new AbortController().signal };
  const headerFor = async (fields: CredentialFields) => {
    const request = anOutboundRequest('https://sheets.googleapis.com/v4/spreadsheets/1');
    return (await googleServiceAccount.apply?.(request, fields, context))?.headers.authorization;
  };
  return { http, clock, headerFor };
};

const decode = (part = ''): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());

describe('a token is requested', () => {
  test('for an assertion that the key has signed', async () => {
    const { http, clock, headerFor } = aClient();
    const fields = { key: aKey(), scope: SHEETS, subject: 'ann@shop.example' };
    expect(await headerFor(fields)).toBe('Bearer access-1');
    const [request] = http.requests;
    expect(request).toMatchObject({
      method: 'POST',
      url: 'https://oauth2.googleapis.com/token',
      maxRedirects: 0,
    });
    const form = new URLSearchParams(String(request?.body));
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header, claims, signature = ''] = form.get('assertion')?.split('.') ?? [];
    expect(decode(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' });
    const issuedAt = Math.floor(clock.now() / 1_000);
    expect(decode(claims)).toEqual({
      iss: 'robot@shop.iam.gserviceaccount.com',
      scope: SHEETS,
      aud: 'https://oauth2.googleapis.com/token',
      iat: issuedAt,
      exp: issuedAt + 3_600,
      sub: 'ann@shop.example',
    });
    const verify = createVerify('sha256').update(`${header}.${claims}`);
    expect(verify.verify(publicKey, signature, 'base64url')).toBe(true);
  });

  test('once, until a minute before it expires', async () => {
    const { http, clock, headerFor } = aClient();
    const fields = { key: aKey(), scope: SHEETS };
    await Promise.all([headerFor(fields), headerFor(fields)]);
    clock.advance(3_500_000);
    await headerFor(fields);
    expect(http.requests).toHaveLength(1);
    clock.advance(50_000);
    await headerFor(fields);
    expect(http.requests).toHaveLength(2);
  });

  test('where the key file says', async () => {
    const { http, headerFor } = aClient();
    await headerFor({ key: aKey({ token_uri: 'https://login.example.com/token' }), scope: SHEETS });
    expect(http.requests[0]?.url).toBe('https://login.example.com/token');
  });
});

describe('a failure', () => {
  test('of Google says why', async () => {
    const { headerFor } = aClient(() => ({ status: 400, text: '{"error":"invalid_grant"}' }));
    await expect(headerFor({ key: aKey(), scope: SHEETS })).rejects.toMatchObject({
      code: 'CREDENTIAL_REJECTED',
      message: 'POST oauth2.googleapis.com rejected the credential: invalid_grant.',
    });
  });

  test.each([
    ['is not JSON', '-----BEGIN PRIVATE KEY-----'],
    ['has no address', aKey({ client_email: undefined })],
    ['has no private key', aKey({ private_key: 7 })],
  ])('of a file that %s shows nothing of it', async (_what, key) => {
    const { http, headerFor } = aClient();
    await expect(headerFor({ key, scope: SHEETS })).rejects.toThrow(
      'the key must be the JSON file of a service account, with client_email and private_key',
    );
    expect(http.requests).toEqual([]);
  });
});

test('the file can be stored as it is, or as a field', () => {
  const key = aKey();
  expect(parseSecret(key, googleServiceAccount)).toEqual({ key });
  expect(parseSecret(JSON.stringify({ key }), googleServiceAccount)).toEqual({ key });
});
