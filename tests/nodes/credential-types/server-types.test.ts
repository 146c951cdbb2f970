import type { CredentialContext, CredentialFields, CredentialType } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createTcpClient } from '../../../lib/adapters/tcp-client/tcp-client.chunk.ts';
import { imap, postgres, smtp } from '../../../nodes/credential-types/server-types.ts';
import { aMailServer } from '../../support/a-mail-server.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { useTestAuthority } from '../../support/a-tls-server.ts';
import { aWireServer } from '../../support/a-wire-server.ts';
import { anImapServer } from '../../support/an-imap-server.ts';
import { aServer } from '../../support/outbound-credentials.ts';

const open: (() => Promise<void>)[] = [];
useTestAuthority();
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

const testOf = async (
  { test: liveTest }: CredentialType,
  fields: CredentialFields,
  changes: Partial<CredentialContext> = {},
) =>
  liveTest?.(fields, {
    http: aServer(),
    tcp: createTcpClient({ allow: ['127.0.0.1'] }),
    clock: aManualClock(),
    signal: new AbortController().signal,
    ...changes,
  });

const theFields = (port: number): CredentialFields => ({
  host: '127.0.0.1',
  port: String(port),
  username: 'ann',
  password: 'right-password',
});

describe('the live test of smtp', () => {
  test('logs in, and sends nothing', async () => {
    const server = await aMailServer();
    open.push(server.close);
    expect(await testOf(smtp, theFields(server.port))).toEqual({
      status: 'healthy',
      message: '127.0.0.1 accepts the login',
    });
    expect([server.logins, server.mails]).toEqual([['right-password'], []]);
  });

  test('reports the server’s refusal', async () => {
    const server = await aMailServer({ passwords: [] });
    open.push(server.close);
    await expect(testOf(smtp, theFields(server.port))).rejects.toMatchObject({
      code: 'CREDENTIAL_REJECTED',
      message: expect.stringContaining('it answered 535'),
    });
  });
});

describe('the live test of imap', () => {
  test('logs in, and changes nothing', async () => {
    const server = await anImapServer();
    open.push(server.close);
    server.receive();
    expect(await testOf(imap, theFields(server.port))).toEqual({
      status: 'healthy',
      message: '127.0.0.1 accepts the login',
    });
    expect([server.connections(), server.flags()]).toEqual([1, [[]]]);
  });

  test('reports the server’s refusal', async () => {
    const server = await anImapServer({ passwords: ['another-password'] });
    open.push(server.close);
    await expect(testOf(imap, theFields(server.port))).rejects.toMatchObject({ code: 'CREDENTIAL_REJECTED' });
  });
});

describe('the live test of postgres', () => {
  test('logs in, over verified TLS, and runs nothing', async () => {
    const server = await aWireServer({ tls: true });
    open.push(server.close);
    expect(await testOf(postgres, { ...theFields(server.port), database: 'shop' })).toEqual({
      status: 'healthy',
      message: '127.0.0.1 accepts the login',
    });
    await server.closed(1);
    expect([server.tried, server.statements]).toEqual([['right-password'], []]);
  });

  test('reports the server’s refusal', async () => {
    const server = await aWireServer({ passwords: [] });
    open.push(server.close);
    const fields = { ...theFields(server.port), database: 'shop', sslmode: 'disable' };
    await expect(testOf(postgres, fields)).rejects.toMatchObject({
      code: 'CREDENTIAL_REJECTED',
      message: expect.stringContaining('it answered 28P01'),
    });
  });

  test('ends with its signal when the server hangs, and closes the connection', async () => {
    const server = await aWireServer({ hangsAt: 'startup' });
    open.push(server.close);
    const controller = new AbortController();
    const fields = { ...theFields(server.port), database: 'shop', sslmode: 'disable' };
    const testing = testOf(postgres, fields, { signal: controller.signal });
    const failing = expect(testing).rejects.toThrow('the time is up');
    await server.hanging;
    controller.abort(new Error('the time is up'));
    await failing;
    await server.closed(1);
  });
});

test.each([smtp, imap, postgres])('the live test of $id reaches no private address', async (type) => {
  const fields = { ...theFields(25), database: 'shop' };
  await expect(testOf(type, fields, { tcp: createTcpClient() })).rejects.toMatchObject({
    code: 'OUTBOUND_REFUSED',
  });
});
