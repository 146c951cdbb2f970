import type { ClientCertificate } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHttpClient } from '../../../lib/adapters/http-client/http-client.chunk.ts';
import { redirectTo } from '../../support/a-local-server.ts';
import { aTlsServer, clientIdentity, useTestAuthority } from '../../support/a-tls-server.ts';
import { anOutboundRequest, failureOf } from '../../support/an-outbound-request.ts';

const { certificate, key, encryptedKey } = clientIdentity;
const tls = { certificate, key };

let server: Awaited<ReturnType<typeof aTlsServer>>;
let other: Awaited<ReturnType<typeof aTlsServer>>;
useTestAuthority();

beforeAll(async () => {
  other = await aTlsServer();
  server = await aTlsServer({
    '/here': redirectTo(307, '/hello'),
    '/there': redirectTo(307, `${other.origin}/hello`),
  });
});

afterAll(async () => {
  await server.close();
  await other.close();
});

const client = createHttpClient({ allow: ['127.0.0.1'] });

const bodyOf = async (url: string, identity?: ClientCertificate) => {
  const changes = identity === undefined ? {} : { tls: identity };
  return Buffer.from((await client.request(anOutboundRequest(url, changes))).body).toString();
};

describe('a client certificate', () => {
  test('is presented to the server, with a key that may be encrypted', async () => {
    expect(await bodyOf(`${server.origin}/`, tls)).toBe('hello hookloom');
    const passphrase = 'open-sesame';
    expect(await bodyOf(`${server.origin}/`, { certificate, key: encryptedKey, passphrase })).toBe(
      'hello hookloom',
    );
  });

  test('belongs to its own request, over the same client', async () => {
    const bodies = [await bodyOf(`${server.origin}/`, tls), await bodyOf(`${server.origin}/`)];
    expect([...bodies, await bodyOf(`${server.origin}/`, tls)]).toEqual([
      'hello hookloom',
      'hello stranger',
      'hello hookloom',
    ]);
  });

  test('is presented again on a redirect within its origin, and to no other one', async () => {
    expect(await bodyOf(`${server.origin}/here`, tls)).toBe('hello hookloom');
    expect(await bodyOf(`${server.origin}/there`, tls)).toBe('hello stranger');
  });

  test.each([
    ['certificate', { certificate: '', key }],
    ['key', { certificate, key: '' }],
  ])('is refused with an empty %s', async (_part, identity) => {
    expect(await failureOf(client, `${server.origin}/`, { tls: identity })).toMatchObject({
      code: 'OUTBOUND_REFUSED',
      parameters: { reason: 'its client certificate is not complete' },
    });
  });

  test('is refused without https', async () => {
    expect(await failureOf(client, 'http://127.0.0.1:1/', { tls })).toMatchObject({
      code: 'OUTBOUND_REFUSED',
      message: 'GET 127.0.0.1:1 was refused: a client certificate can only be used with https.',
    });
  });

  test.each([
    ['no certificate', { certificate: 'hunter2', key }],
    ['no key', { certificate, key: 'hunter2' }],
    ['a wrong passphrase', { certificate, key: encryptedKey, passphrase: 'hunter2' }],
    ['no passphrase', { certificate, key: encryptedKey }],
    ['the key of another one', { certificate, key: clientIdentity.otherKey }],
  ])('that is %s fails the request without quoting its value', async (_case, identity) => {
    // Another client: a connection that the same certificate and key have opened would be used again.
    const fresh = createHttpClient({ allow: ['127.0.0.1'] });
    const failure = await failureOf(fresh, `${server.origin}/`, { tls: identity });
    expect(failure).toMatchObject({
      code: 'OUTBOUND_FAILED',
      parameters: { reason: 'the client certificate, its key or its passphrase cannot be used' },
    });
  });
});
