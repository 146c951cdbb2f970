import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { isNodeError, type JsonObject, type NodeContext } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { aMailContext, anSmtpCredential, sendMail, theMail } from '../../support/a-mail-node.ts';
import { aMailServer, refusal } from '../../support/a-mail-server.ts';
import { useTestAuthority } from '../../support/a-tls-server.ts';

const untrusting = useTestAuthority();
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

const aServer = async (...options: Parameters<typeof aMailServer>) => {
  const server = await aMailServer(...options);
  open.push(server.close);
  return server;
};

const failureOf = async (sending: Promise<unknown>): Promise<Error> =>
  sending.then(
    () => {
      throw new Error('it was sent');
    },
    (error: Error) => error,
  );

describe('a mail through SMTP', () => {
  test('is sent with STARTTLS after a login, with all of its parts', async () => {
    const server = await aServer();
    const context = aMailContext({ credential: anSmtpCredential(server.port) });
    const files = context.services.files;
    const report = await files.save(new Blob(['a,b\n1,2\n']).stream(), {
      name: 'Übersicht.csv',
      mediaType: 'text/csv',
    });
    const output = await sendMail(
      {
        cc: ['"Doe, Jane" <jane@example.com>'],
        bcc: ['hidden@example.com'],
        replyTo: ['help@example.com'],
        subject: 'Grüße',
        html: '<p>Thank you.</p>',
        attachments: [report],
        headers: { 'List-Unsubscribe': '<https://example.com/u/7>' },
      },
      context,
    );
    expect(output).toEqual({
      messageId: expect.stringMatching(/^<[0-9a-f]{32}@example\.com>$/),
      accepted: ['bob@example.com', 'jane@example.com', 'hidden@example.com'],
      rejected: [],
    });
    expect(server.mails).toMatchObject([
      {
        from: 'shop@example.com',
        to: ['bob@example.com', 'jane@example.com', 'hidden@example.com'],
        isSecure: true,
        username: 'ann',
      },
    ]);
    const { text = '' } = server.mails[0] ?? {};
    for (const part of [
      'From: Shop <shop@example.com>\r\n',
      'To: bob@example.com\r\n',
      'Cc: "Doe, Jane" <jane@example.com>\r\n',
      'Reply-To: help@example.com\r\n',
      'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\n',
      'List-Unsubscribe: <https://example.com/u/7>\r\n',
      'Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n',
      'Content-Type: multipart/mixed;',
      'Thank you.',
      '<p>Thank you.</p>',
      'text/csv',
      Buffer.from('a,b\n1,2\n').toString('base64'),
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('hidden@example.com');
  });

  test('goes to a server with implicit TLS, and to one without TLS if the credential allows it', async () => {
    const tls = await aServer({ secure: true });
    await sendMail({}, aMailContext(), anSmtpCredential(tls.port, { security: 'tls' }));
    const plain = await aServer({ hideSTARTTLS: true, allowInsecureAuth: true });
    await sendMail({}, aMailContext(), anSmtpCredential(plain.port, { security: 'none' }));
    expect([tls.mails[0]?.isSecure, plain.mails[0]?.isSecure]).toEqual([true, false]);
  });

  test('has the same Message-ID in every attempt, and another one in another execution', async () => {
    const server = await aServer();
    const credential = anSmtpCredential(server.port);
    const attempts = [{ attempt: 1 }, { attempt: 2 }, { idempotencyKey: 'execution-2/node-1/0' }];
    const outputs = await Promise.all(
      attempts.map(async (changes) => sendMail({}, aMailContext(changes), credential)),
    );
    const ids = outputs.map((output) => (output as JsonObject).messageId);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
    const sent = server.mails.map(({ text }) => /^Message-ID: (\S+)/m.exec(text)?.[1]);
    expect(sent.sort()).toEqual(ids.sort());
  });

  test('is delivered to the recipients that the server accepts; the others are listed', async () => {
    const server = await aServer({
      onRcptTo: ({ address }, _session, callback) =>
        callback(address === 'gone@example.com' ? refusal(550, 'no such user') : null),
    });
    const credential = anSmtpCredential(server.port);
    const to = ['bob@example.com', 'gone@example.com'];
    expect(await sendMail({ to }, aMailContext(), credential)).toMatchObject({
      accepted: ['bob@example.com'],
      rejected: [{ address: 'gone@example.com', response: '550 no such user' }],
    });
    expect(server.mails[0]?.to).toEqual(['bob@example.com']);
  });
});

describe('a failed mail', () => {
  test.each([
    [
      'greylisting',
      451,
      'RCPT TO',
      true,
      { onRcptTo: (_to: unknown, _s: unknown, cb: Callback) => cb(refusal(451, 'try later')) },
    ],
    [
      'an unknown recipient',
      550,
      'RCPT TO',
      false,
      { onRcptTo: (_to: unknown, _s: unknown, cb: Callback) => cb(refusal(550, 'try later')) },
    ],
    [
      'a refused sender',
      553,
      'MAIL FROM',
      false,
      { onMailFrom: (_from: unknown, _s: unknown, cb: Callback) => cb(refusal(553, 'try later')) },
    ],
    [
      'a refused content',
      552,
      'DATA',
      false,
      {
        onData: (stream: NodeJS.ReadableStream, _session: unknown, cb: Callback) =>
          stream.resume().on('end', () => cb(refusal(552, 'try later'))),
      },
    ],
  ])('because of %s says so', async (_case, status, command, isRetryable, options) => {
    const server = await aServer(options as object);
    const failure = await failureOf(sendMail({}, aMailContext(), anSmtpCredential(server.port)));
    expect(failure).toMatchObject({
      name: 'SmtpError',
      message: `127.0.0.1:${server.port} answered ${status} to ${command}`,
      isRetryable,
      details: { status, command, response: expect.stringContaining('try later') },
    });
    expect(server.mails).toEqual([]);
  });

  test('because of a refused login is not retried, and shows no password', async () => {
    const server = await aServer({ passwords: [] });
    const failure = await failureOf(sendMail({}, aMailContext(), anSmtpCredential(server.port)));
    expect(failure).toMatchObject({ name: 'CredentialRejected', isRetryable: false });
    expect(failure.message).toBe(`127.0.0.1:${server.port} rejected the credential: it answered 535.`);
    expect(server.logins).toEqual(['right-password']);
  });

  test('because of a refused login is sent with a rotated password', async () => {
    const server = await aServer({ passwords: ['new-password'] });
    const rotated = anSmtpCredential(server.port, { password: 'new-password' });
    const credential = { ...anSmtpCredential(server.port), refresh: async () => rotated };
    const old = anSmtpCredential(server.port);
    credential.field = old.field;
    await sendMail({}, aMailContext(), credential);
    expect(server.logins).toEqual(['right-password', 'new-password']);
    expect(server.mails).toHaveLength(1);
  });

  test('because of a server without STARTTLS is sent neither in cleartext nor with a login', async () => {
    const server = await aServer({ disabledCommands: ['STARTTLS'] });
    expect(await failureOf(sendMail({}, aMailContext(), anSmtpCredential(server.port)))).toMatchObject({
      name: 'SmtpError',
      message: expect.stringContaining('does not offer STARTTLS'),
      isRetryable: false,
    });
    expect([server.logins, server.mails]).toEqual([[], []]);
  });

  test.each([
    ['starttls', {}],
    ['tls', { secure: true }],
  ])('because of an untrusted certificate, with %s', async (security, options) => {
    await untrusting(async () => {
      const server = await aServer(options);
      const credential = anSmtpCredential(server.port, { security });
      expect(await failureOf(sendMail({}, aMailContext(), credential))).toMatchObject({
        name: 'SmtpError',
        message: expect.stringMatching(/has a certificate that is not accepted \([A-Z_]+\)$/),
        isRetryable: false,
      });
      expect(server.logins).toEqual([]);
    });
  });

  test('because of an unreadable attachment has the file’s error, and delivers nothing', async () => {
    const server = await aServer();
    const context = aMailContext();
    const attachment = {
      $file: 'execution-1/node-1/0/1',
      name: 'a.txt',
      mediaType: 'text/plain',
      size: 3,
      sha256: '0'.repeat(64),
    };
    const sending = sendMail({ attachments: [attachment] }, context, anSmtpCredential(server.port));
    expect(await failureOf(sending)).toMatchObject({
      name: 'AppError',
      code: expect.stringMatching(/^FILE_/),
    });
    expect(server.mails).toEqual([]);
  });

  // holds: private-addresses-refused
  test('because of a private address says what allows it', async () => {
    const { services, ...context } = aMailContext();
    const { createTcpClient } = await import('../../../lib/adapters/tcp-client/tcp-client.chunk.ts');
    const guarded = { ...context, services: { ...services, tcp: createTcpClient() } };
    expect(await failureOf(sendMail({}, guarded, anSmtpCredential(25)))).toMatchObject({
      code: 'OUTBOUND_REFUSED',
      message: expect.stringContaining('OUTBOUND_ALLOW can allow 127.0.0.1:25'),
    });
  });
});

type Callback = (error?: Error | null) => void;

describe('a server that hangs', () => {
  /** Answers of a server without TLS, by the command; after the last one it says nothing. */
  const dialogue: readonly (readonly [command: string, answer: string])[] = [
    ['', '220 ready\r\n'],
    ['EHLO', '250-hello\r\n250 AUTH PLAIN\r\n'],
    ['AUTH', '235 welcome\r\n'],
    ['MAIL', '250 ok\r\n'],
    ['RCPT', '250 ok\r\n'],
    ['DATA', '354 go on\r\n'],
  ];

  /** Resolves `hanging` with the socket once the server should answer and does not. */
  const aHangingServer = async (answers: number) => {
    const hanging = Promise.withResolvers<Socket>();
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      let next = 0;
      const say = (): void => {
        const answer = next < answers ? dialogue[next]?.[1] : undefined;
        next += 1;
        if (answer === undefined) hanging.resolve(socket);
        else socket.write(answer);
      };
      say();
      socket.on('data', say);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push(() => new Promise((resolve) => server.close(() => resolve())));
    return { port: (server.address() as AddressInfo).port, hanging: hanging.promise };
  };

  test.each(dialogue.map(([command], index) => [command || 'the greeting', index] as const))(
    'at %s is abandoned when the node’s time is up, and its socket closed',
    async (_command, answers) => {
      const server = await aHangingServer(answers);
      const controller = new AbortController();
      const context: NodeContext = aMailContext({ signal: controller.signal });
      const credential = anSmtpCredential(server.port, { security: 'none' });
      const failing = failureOf(sendMail({}, context, credential));
      const socket = await server.hanging;
      const closed = once(socket, 'close');
      const timeout = new Error('the time of the node is up');
      controller.abort(timeout);
      expect(await failing).toBe(timeout);
      await closed;
    },
  );

  test('up, a server that closes the connection is retryable', async () => {
    const server = net.createServer((socket) => socket.end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push(() => new Promise((resolve) => server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    const failure = await failureOf(sendMail({}, aMailContext(), anSmtpCredential(port)));
    expect(failure).toMatchObject({ name: 'SmtpError', isRetryable: true, details: { command: 'CONN' } });
    expect(isNodeError(failure)).toBe(true);
  });

  test('up, a server whose response never ends is abandoned', async () => {
    const server = net.createServer((socket) =>
      socket.on('error', () => {}).write(`220 ${'x'.repeat(70_000)}`),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push(() => new Promise((resolve) => server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    expect(await failureOf(sendMail({}, aMailContext(), anSmtpCredential(port)))).toMatchObject({
      name: 'SmtpError',
    });
  });
});

test('nothing is sent without a credential of the type smtp', async () => {
  expect(theMail).not.toHaveProperty('via');
  expect(await failureOf(sendMail({}, aMailContext(), null))).toMatchObject({
    message: 'via: smtp needs a credential of the type smtp in credentialId',
    isRetryable: false,
  });
});
