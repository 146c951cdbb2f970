import type { CredentialContext, CredentialFields } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createHttpClient } from '../../../lib/adapters/http-client/http-client.chunk.ts';
import { tlsClient } from '../../../nodes/credential-types/http-types.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { aTlsServer, clientIdentity, useTestAuthority } from '../../support/a-tls-server.ts';
import { anOutboundRequest } from '../../support/an-outbound-request.ts';
import { noTcp } from '../../support/outbound-credentials.ts';

let server: Awaited<ReturnType<typeof aTlsServer>>;
useTestAuthority();

beforeAll(async () => {
  server = await aTlsServer();
});

afterAll(async () => {
  await server.close();
});

const context: CredentialContext = {
  http: createHttpClient({ allow: ['127.0.0.1'] }),
  tcp: noTcp,
  clock: aManualClock(),
  signal: new AbortController().signal,
};

const bodyWith = async (fields: CredentialFields) => {
  const applied = await tlsClient.apply?.(anOutboundRequest(`${server.origin}/`), fields, context);
  if (applied === undefined) throw new Error('it is not applied to requests');
  return Buffer.from((await context.http.request(applied)).body).toString();
};

const { certificate, key, encryptedKey } = clientIdentity;

test.each([
  ['a plain key', { certificate, key }],
  ['an encrypted key', { certificate, key: encryptedKey, passphrase: 'open-sesame' }],
])('a server authenticates the client by its certificate, with %s', async (_case, fields) => {
  expect(await bodyWith(fields)).toBe('hello hookloom');
});

test('its live test calls testUrl', async () => {
  const fields = { certificate, key, testUrl: `${server.origin}/` };
  expect(await tlsClient.test?.(fields, context)).toMatchObject({ status: 'healthy' });
});

test('key and passphrase are secret', () => {
  expect(tlsClient.secretFields).toEqual(['key', 'passphrase']);
});
