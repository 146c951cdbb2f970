import type { CredentialContext, CredentialFields } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { oauth2 } from '../../../nodes/credential-types/oauth2.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { anOutboundRequest } from '../../support/an-outbound-request.ts';
import { type Answer, anOutboundService, aServer, noTcp } from '../../support/outbound-credentials.ts';

const TOKEN_URL = 'https://login.example.com/token';
const API = 'https://api.example.com/orders';

const theFields = (changes: CredentialFields = {}): CredentialFields => ({
  tokenUrl: TOKEN_URL,
  clientId: 'a client',
  clientSecret: 's3cret:%',
  ...changes,
});

const aToken = (changes: object = {}) => ({
  text: JSON.stringify({ access_token: 'access-1', token_type: 'Bearer', expires_in: 600, ...changes }),
});

const aClient = (answer: Answer = () => aToken()) => {
  const http = aServer(answer);
  const clock = aManualClock();
  const saved: CredentialFields[] = [];
  const headerFor = async (fields: CredentialFields, changes: Partial<CredentialContext> = {}) => {
    const context: CredentialContext = {
      http,
      tcp: noTcp,
      clock,
      signal: new AbortController().signal,
      renewSecrets: async ({ isRenewed, renew }) => {
        if (isRenewed(fields)) return fields;
        const renewed = await renew(fields);
        saved.push(renewed);
        return { ...fields, ...renewed };
      },
      ...changes,
    };
    return (await oauth2.apply?.(anOutboundRequest(API), fields, context))?.headers.authorization;
  };
  return { http, clock, saved, headerFor };
};

describe('a token is requested', () => {
  test.each([
    [
      'by client credentials, in a header',
      theFields({ scope: 'read write' }),
      'grant_type=client_credentials&scope=read+write',
      `Basic ${Buffer.from('a+client:s3cret%3A%25').toString('base64')}`,
    ],
    [
      'by client credentials, in the body',
      theFields({ clientAuthentication: 'body', audience: 'https://api.example.com' }),
      'grant_type=client_credentials&audience=https%3A%2F%2Fapi.example.com&client_id=a+client&client_secret=s3cret%3A%25',
      undefined,
    ],
    [
      'by a refresh token',
      theFields({ grant: 'refreshToken', refreshToken: 'refresh-1' }),
      'grant_type=refresh_token&refresh_token=refresh-1',
      expect.stringMatching(/^Basic /),
    ],
  ])('%s', async (_how, fields, body, authorization) => {
    const { http, headerFor } = aClient();
    expect(await headerFor(fields)).toBe('Bearer access-1');
    expect(http.requests).toMatchObject([{ method: 'POST', url: TOKEN_URL, body, maxRedirects: 0 }]);
    expect(http.requests[0]?.headers.authorization).toEqual(authorization);
  });

  test('once for concurrent attempts, and again a minute before it expires', async () => {
    let count = 0;
    const { http, clock, headerFor } = aClient(() => aToken({ access_token: `access-${++count}` }));
    const fields = theFields();
    expect(await Promise.all([headerFor(fields), headerFor(fields), headerFor(fields)])).toEqual(
      Array(3).fill('Bearer access-1'),
    );
    clock.advance(539_000);
    expect(await headerFor(fields)).toBe('Bearer access-1');
    clock.advance(1_000);
    expect(await Promise.all([headerFor(fields), headerFor(fields)])).toEqual(
      Array(2).fill('Bearer access-2'),
    );
    expect(http.requests).toHaveLength(2);
  });

  test('again after a failure', async () => {
    let status = 503;
    const { headerFor } = aClient(() => ({ status, ...aToken() }));
    const fields = theFields();
    await expect(headerFor(fields)).rejects.toMatchObject({ code: 'OUTBOUND_FAILED' });
    status = 200;
    expect(await headerFor(fields)).toBe('Bearer access-1');
  });
});

describe('an error of the server', () => {
  test.each([
    [
      400,
      '{"error":"invalid_grant","error_description":"refresh-1 is used"}',
      'CREDENTIAL_REJECTED',
      'invalid_grant',
    ],
    [401, 'refresh-1', 'CREDENTIAL_REJECTED', 'it answered 401'],
    [429, '{}', 'OUTBOUND_FAILED', 'it answered 429 without a token'],
    [200, '<html>', 'OUTBOUND_FAILED', 'it answered 200 without a token'],
    [200, '{"access_token":7}', 'OUTBOUND_FAILED', 'it answered 200 without a token'],
  ])('%d %s is reported without its text', async (status, text, code, reason) => {
    const { headerFor } = aClient(() => ({ status, text }));
    await expect(headerFor(theFields())).rejects.toMatchObject({
      code,
      parameters: { target: 'POST login.example.com', reason },
    });
  });
});

describe('a credential that a person signs in to', () => {
  const signedIn = (changes: CredentialFields = {}) => theFields({ grant: 'authorizationCode', ...changes });
  const again = 'so a person has to connect it again (hookloom credential connect)';

  test('gets tokens by its refresh token', async () => {
    const { http, headerFor } = aClient();
    expect(await headerFor(signedIn({ refreshToken: 'refresh-1' }))).toBe('Bearer access-1');
    expect(http.requests[0]?.body).toContain('grant_type=refresh_token&refresh_token=refresh-1');
  });

  test('says that it has to be connected again when its refresh token is revoked', async () => {
    const { headerFor } = aClient(() => ({ status: 400, text: '{"error":"invalid_grant"}' }));
    await expect(headerFor(signedIn({ refreshToken: 'refresh-1' }))).rejects.toMatchObject({
      code: 'CREDENTIAL_REJECTED',
      parameters: { reason: `invalid_grant, ${again}` },
    });
  });

  test.each([
    ['nobody has signed in, so a person has to connect it (hookloom credential connect)', {}, undefined],
    [
      `its access token is no longer accepted, ${again}`,
      { refreshToken: '', accessToken: 'forever-1' },
      'forever-1',
    ],
  ])('says: %s, without a request', async (reason, changes, rejected) => {
    const { http, headerFor } = aClient();
    const fields = signedIn(changes);
    const context = rejected === undefined ? {} : { rejected: fields };
    await expect(headerFor({ ...fields }, context)).rejects.toMatchObject({
      code: 'CREDENTIAL_REJECTED',
      parameters: { reason },
    });
    expect(http.requests).toEqual([]);
  });

  test('uses an access token that never expires', async () => {
    const { http, clock, headerFor } = aClient();
    clock.advance(1_000_000_000);
    expect(await headerFor(signedIn({ refreshToken: '', accessToken: 'forever-1' }))).toBe(
      'Bearer forever-1',
    );
    expect(http.requests).toEqual([]);
  });
});

describe('a server that replaces refresh tokens', () => {
  test('has the new one stored, with the access token that others use', async () => {
    const { saved, clock, headerFor } = aClient(() => aToken({ refresh_token: 'refresh-2' }));
    await headerFor(theFields({ grant: 'refreshToken', refreshToken: 'refresh-1' }));
    const accessTokenExpiresAt = String(clock.now() + 600_000);
    expect(saved).toEqual([{ refreshToken: 'refresh-2', accessToken: 'access-1', accessTokenExpiresAt }]);

    const other = aClient();
    const stored = theFields({ grant: 'refreshToken', ...saved[0] });
    expect(await other.headerFor(stored)).toBe('Bearer access-1');
    expect(other.http.requests).toEqual([]);
  });

  test('has none stored for client credentials, for which each sandbox has its own', async () => {
    const { saved, headerFor } = aClient(() => aToken({ refresh_token: 'refresh-2' }));
    expect(await headerFor(theFields())).toBe('Bearer access-1');
    expect(saved).toEqual([]);
  });

  test('fails where it cannot be stored, and works with a server that keeps it', async () => {
    const fields = () => theFields({ grant: 'refreshToken', refreshToken: 'refresh-1' });
    const readOnly = (token: object) => {
      const { http, clock } = aClient(() => aToken(token));
      const context: CredentialContext = { http, tcp: noTcp, clock, signal: new AbortController().signal };
      return oauth2.apply?.(anOutboundRequest(API), fields(), context);
    };
    await expect(readOnly({ refresh_token: 'refresh-2' })).rejects.toMatchObject({
      name: 'CredentialUnusable',
      isRetryable: false,
    });
    expect((await readOnly({ refresh_token: 'refresh-1' }))?.headers.authorization).toBe('Bearer access-1');
    expect((await readOnly({}))?.headers.authorization).toBe('Bearer access-1');
  });

  test('is called again when the stored access token was rejected or has expired', async () => {
    const { http, clock, headerFor } = aClient(() => aToken({ access_token: 'access-2' }));
    const stored = theFields({
      accessToken: 'access-1',
      accessTokenExpiresAt: String(clock.now() + 61_000),
    });
    expect(await headerFor(stored)).toBe('Bearer access-1');
    expect(await headerFor({ ...stored }, { rejected: stored })).toBe('Bearer access-2');
    clock.advance(2_000);
    expect(await headerFor({ ...stored })).toBe('Bearer access-2');
    expect(http.requests).toHaveLength(2);
  });

  test.each([
    ['accessToken', { access_token: 'abcde', refresh_token: 'refresh-2' }],
    ['refreshToken', { access_token: 'access-1', refresh_token: 'abcde' }],
  ])('has nothing stored of a renewal whose %s is too short to be redacted', async (name, token) => {
    const service = anOutboundService({ answer: ({ url }) => (url === TOKEN_URL ? aToken(token) : {}) });
    const fields = { tokenUrl: TOKEN_URL, clientId: 'client', grant: 'refreshToken' };
    const secret = { clientSecret: 'client-secret', refreshToken: 'refresh-1' };
    await service.put('crm', 'oauth2', secret, fields);
    const send = async () => {
      const credential = await (await service.credentials.open()).lend('crm', ['oauth2']);
      return service.credentials.request({ ...anOutboundRequest(API), credential });
    };
    for (let tries = 0; tries < 2; tries++)
      await expect(send()).rejects.toMatchObject({
        name: 'CredentialUnusable',
        message: `the renewal of credential "crm" gave a secret that can't be redacted reliably, which is not stored: its ${name} has fewer than 6 characters`,
      });
    expect([...service.secrets.values.values()].map((text): unknown => JSON.parse(text))).toEqual([secret]);
    expect(service.server.requests.map(({ url }) => url)).toEqual([TOKEN_URL, TOKEN_URL]);
  });

  test('keeps all sandboxes working: the new token is read where another has replaced it', async () => {
    const server = { refreshToken: 'refresh-1', count: 1 };
    const answer: Answer = ({ url, body, headers }) => {
      if (url !== TOKEN_URL)
        return { status: headers.authorization === `Bearer access-${server.count}` ? 200 : 401 };
      if (!String(body).endsWith(`=${server.refreshToken}`))
        return { status: 400, text: '{"error":"invalid_grant"}' };
      server.count += 1;
      server.refreshToken = `refresh-${server.count}`;
      return aToken({ access_token: `access-${server.count}`, refresh_token: server.refreshToken });
    };
    const service = anOutboundService({ answer });
    const fields = { tokenUrl: TOKEN_URL, clientId: 'client', grant: 'refreshToken' };
    await service.put('crm', 'oauth2', { clientSecret: 'client-secret', refreshToken: 'refresh-1' }, fields);
    const credential = await (await service.credentials.open()).lend('crm', ['oauth2']);
    const send = async () =>
      (await service.credentials.request({ ...anOutboundRequest(API), credential })).status;

    expect([await send(), await send()]).toEqual([200, 200]);
    expect(server.count).toBe(2);

    // Another sandbox replaces the token that this one still has.
    server.count = 3;
    server.refreshToken = 'refresh-3';
    const expiresAt = String(service.clock.now() + 600_000);
    await service.secrets.put(
      'crm',
      JSON.stringify({
        clientSecret: 'client-secret',
        refreshToken: 'refresh-3',
        accessToken: 'access-3',
        accessTokenExpiresAt: expiresAt,
      }),
    );
    expect(await send()).toBe(200);
    expect(server.count).toBe(3);
  });
});
