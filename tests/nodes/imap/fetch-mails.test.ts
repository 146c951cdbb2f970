import net, { type AddressInfo, type Socket } from 'node:net';
import {
  isPlainObject,
  isServiceError,
  type JsonObject,
  type JsonValue,
  type LentCredential,
  type NodeContext,
} from '@hookloom/plugin-kit';
import { lendCredential } from '@hookloom/plugin-kit/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createTcpClient } from '../../../lib/adapters/tcp-client/tcp-client.chunk.ts';
import { fetchMails, logInToImap } from '../../../nodes/imap/fetch-mails.chunk.ts';
import { readMailQuery } from '../../../nodes/imap/mail-query.ts';
import { aMailContext } from '../../support/a-mail-node.ts';
import { useTestAuthority } from '../../support/a-tls-server.ts';
import { anImapServer } from '../../support/an-imap-server.ts';

const untrusting = useTestAuthority();
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

const aServer = async (...options: Parameters<typeof anImapServer>) => {
  const server = await anImapServer(...options);
  open.push(server.close);
  return server;
};

const fieldsOf = (port: number, changes: Readonly<Record<string, string>> = {}) => ({
  host: '127.0.0.1',
  port: String(port),
  security: 'tls',
  username: 'ann',
  password: 'right-password',
  ...changes,
});

const aCredential = (port: number, changes: Readonly<Record<string, string>> = {}): LentCredential =>
  lendCredential({ type: 'imap', fields: fieldsOf(port, changes) });

/** Polls of one trigger, each of which continues where the one before ended. */
const polls = (port: number, parameters: JsonObject = {}, context: NodeContext = aMailContext()) => {
  let position: JsonValue = null;
  return {
    position: () => position,
    /** The keys of a poll. @param isStored - whether its executions are stored, so that the next poll continues after them */
    poll: async (changes: JsonObject = {}, isStored = true): Promise<readonly string[]> => {
      const query = readMailQuery({ ...parameters, ...changes });
      const polled = await fetchMails(query, { position, isTrial: false }, aCredential(port), context);
      if (isStored) position = polled.position;
      return polled.keys;
    },
    items: async (changes: JsonObject = {}) => {
      const query = readMailQuery({ ...parameters, ...changes });
      return (await fetchMails(query, { position, isTrial: false }, aCredential(port), context)).items;
    },
  };
};

const failureOf = async (work: Promise<unknown>): Promise<Error & { readonly details?: unknown }> =>
  work.then(
    () => {
      throw new Error('it succeeded');
    },
    (error: Error) => error,
  );

const subjectsOf = (items: readonly JsonValue[]) =>
  items.map((item) => (isPlainObject(item) ? item.subject : null));

describe('mails', () => {
  test('that have arrived since the first poll are handed over once, the earliest first', async () => {
    const server = await aServer();
    server.receive();
    const { poll } = polls(server.port);
    expect(await poll()).toEqual([]);
    expect(await poll()).toEqual([]);
    server.receive();
    server.receive();
    expect(await poll()).toEqual(['INBOX/7/2', 'INBOX/7/3']);
    expect(await poll()).toEqual([]);
  });

  test('that are there at the first poll are handed over, if it is to start with all', async () => {
    const server = await aServer();
    server.receive();
    server.receive({ flags: ['\\Seen'] });
    const { poll } = polls(server.port, { firstPoll: 'all' });
    expect(await poll()).toEqual(['INBOX/7/1', 'INBOX/7/2']);
    expect(await poll()).toEqual([]);
  });

  test('that are too many for one poll are left to the next ones, and none is lost', async () => {
    const server = await aServer();
    for (let mail = 0; mail < 5; mail++) server.receive();
    const { poll } = polls(server.port, { firstPoll: 'all', maxMails: 2 });
    expect([await poll(), await poll()]).toEqual([
      ['INBOX/7/1', 'INBOX/7/2'],
      ['INBOX/7/3', 'INBOX/7/4'],
    ]);
    server.receive();
    expect([await poll(), await poll()]).toEqual([['INBOX/7/5', 'INBOX/7/6'], []]);
  });

  test('are handed over again, with the same keys, if their executions were not stored', async () => {
    const server = await aServer();
    server.receive();
    const { poll } = polls(server.port, { firstPoll: 'all', markSeen: true });
    expect(await poll({}, false)).toEqual(['INBOX/7/1']);
    expect(await poll()).toEqual(['INBOX/7/1']);
    expect(server.flags()).toEqual([[]]);
    expect(await poll()).toEqual([]);
    expect(server.flags()).toEqual([['\\Seen']]);
  });

  test('are not marked unless the trigger says so', async () => {
    const server = await aServer();
    server.receive();
    const { poll } = polls(server.port, { firstPoll: 'all' });
    await poll();
    await poll();
    expect(server.flags()).toEqual([[]]);
  });

  test.each<[string, JsonObject, readonly string[]]>([
    ['are not seen', { unseen: true }, ['INBOX/7/1', 'INBOX/7/3']],
    ['come from a sender', { from: 'SHOP' }, ['INBOX/7/2', 'INBOX/7/3']],
    ['have a word in the subject', { subject: 'invoice' }, ['INBOX/7/3']],
  ])('that %s are the only ones, if the trigger says so', async (_case, parameters, keys) => {
    const server = await aServer();
    server.receive();
    server.receive({ from: 'Shop <shop@example.com>', flags: ['\\Seen'] });
    server.receive({ from: 'Shop <shop@example.com>', subject: 'Your Invoice' });
    const { poll } = polls(server.port, { firstPoll: 'all', ...parameters });
    expect(await poll()).toEqual(keys);
    expect(await poll()).toEqual([]);
  });

  test('of another mailbox are those that arrive there', async () => {
    const server = await aServer();
    const { poll } = polls(server.port, { mailbox: 'Archive' });
    await poll();
    server.receive();
    server.receive({}, 'Archive');
    expect(await poll()).toEqual(['Archive/8/1']);
    expect(await poll({ mailbox: 'INBOX' })).toEqual([]); // the first poll of this one
    server.receive();
    expect(await poll({ mailbox: 'INBOX' })).toEqual(['INBOX/7/2']);
  });

  test('of a mailbox whose mails have new numbers are those that arrived since, even in the same second', async () => {
    const server = await aServer();
    const second = new Date(Date.UTC(2026, 5, 1));
    server.receive();
    server.receive({ receivedAt: second });
    const { poll } = polls(server.port, { firstPoll: 'all', maxMails: 2 });
    expect(await poll()).toEqual(['INBOX/7/1', 'INBOX/7/2']);
    server.receive({ receivedAt: second });
    server.receive({ receivedAt: new Date(second.getTime() + 1_000) });
    server.receive({ receivedAt: new Date(second.getTime() + 2_000) });
    server.renumber();
    expect(await poll()).toEqual(['INBOX/8/3', 'INBOX/8/4']);
    server.receive({ receivedAt: new Date(0) }); // moved here, with the time when it first arrived
    expect(await poll()).toEqual(['INBOX/8/5', 'INBOX/8/6']);
    expect(await poll()).toEqual([]);
  });

  test('of a mailbox whose mails have new numbers are none, if none has arrived', async () => {
    const server = await aServer();
    server.receive();
    const { poll } = polls(server.port);
    await poll();
    server.renumber();
    expect(await poll()).toEqual([]);
    server.receive();
    expect(await poll()).toEqual(['INBOX/8/2']);
  });

  test('are tried without a position: the newest ones, and nothing is marked', async () => {
    const server = await aServer();
    for (let mail = 0; mail < 5; mail++) server.receive();
    const tried = await fetchMails(
      readMailQuery({ markSeen: true }),
      { position: null, isTrial: true },
      aCredential(server.port),
      aMailContext(),
    );
    expect(subjectsOf(tried.items)).toEqual(['Mail 5', 'Mail 4', 'Mail 3']);
    expect(tried.position).toBeNull();
    expect(server.flags().flat()).toEqual([]);
  });
});

describe('a mail', () => {
  const multipart = [
    'From: =?utf-8?q?J=C3=BCrgen?= <j@example.com>',
    'To: Team: ann@example.com, Bob <bob@example.com>;',
    'Subject: =?iso-8859-1?q?Gr=FC=DFe?=',
    'Message-ID: <m@example.com>',
    'Date: Thu, 01 Jan 2026 10:00:00 +0100',
    'X-Tag: a',
    'X-Tag: b',
    '__proto__: no',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=x',
    '',
    '--x',
    'Content-Type: multipart/alternative; boundary=y',
    '',
    '--y',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Sch=C3=B6n',
    '--y',
    'Content-Type: text/html',
    '',
    '<p>Nice</p>',
    '--y--',
    '--x',
    'Content-Type: application/pdf',
    'Content-Disposition: attachment; filename="a.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    'aGVsbG8=',
    '--x--',
    '',
  ].join('\r\n');

  test('has its text, HTML, addresses, headers and the list of its attachments', async () => {
    const server = await aServer();
    server.receive({ raw: multipart, receivedAt: new Date(Date.UTC(2026, 0, 1, 9, 0, 5)) });
    const [item] = await polls(server.port, { firstPoll: 'all' }).items();
    expect(item).toEqual({
      uid: 1,
      mailbox: 'INBOX',
      uidValidity: '7',
      messageId: '<m@example.com>',
      inReplyTo: null,
      date: '2026-01-01T09:00:00.000Z',
      receivedAt: '2026-01-01T09:00:05.000Z',
      from: { name: 'Jürgen', address: 'j@example.com' },
      to: [
        { name: '', address: 'ann@example.com' },
        { name: 'Bob', address: 'bob@example.com' },
      ],
      cc: [],
      replyTo: [],
      subject: 'Grüße',
      flags: [],
      size: multipart.length,
      text: expect.stringMatching(/^Schön\s*$/),
      html: expect.stringMatching(/^<p>Nice<\/p>\s*$/),
      headers: expect.objectContaining({ 'x-tag': 'a\nb' }),
      attachments: [
        { name: 'a.pdf', mediaType: 'application/pdf', size: 5, isInline: false, contentId: null },
      ],
      isComplete: true,
      problem: null,
    });
    expect(Object.keys((item as { readonly headers: object }).headers)).not.toContain('__proto__');
  });

  test('that is too large has its headers and the list of its attachments', async () => {
    const server = await aServer();
    const large = multipart.replace('aGVsbG8=', `${'aGVsbG8h'.repeat(9)}\r\n`.repeat(50));
    server.receive({ raw: large });
    server.receive();
    const [item, next] = await polls(server.port, { firstPoll: 'all', maxMailBytes: 2_000 }).items();
    expect(item).toMatchObject({
      subject: 'Grüße',
      text: null,
      html: null,
      isComplete: false,
      size: large.length,
      from: { address: 'j@example.com' },
      attachments: [{ name: 'a.pdf', mediaType: 'application/pdf', isInline: false }],
      problem: `The mail has ${large.length} bytes; maxMailBytes allows 2000`,
    });
    expect(next).toMatchObject({ isComplete: true });
  });

  test('that cannot be parsed is handed over with the problem, and keeps no other from it', async () => {
    const server = await aServer();
    let nested = 'Content-Type: text/plain\r\n\r\nx';
    for (let depth = 0; depth < 60; depth++)
      nested = `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n${nested}\r\n--b${depth}--`;
    server.receive({ raw: `Subject: Deep\r\nMIME-Version: 1.0\r\n${nested}` });
    server.receive();
    const items = await polls(server.port, { firstPoll: 'all' }).items();
    expect(items).toMatchObject([
      { uid: 1, isComplete: false, problem: expect.stringMatching(/^The mail could not be parsed: .*depth/) },
      { uid: 2, isComplete: true },
    ]);
  });
});

describe('a login', () => {
  test.each([
    ['tls', true],
    ['starttls', false],
    ['none', false],
  ])('with the security %s succeeds', async (security, isSecure) => {
    const server = await aServer({ isSecure });
    server.receive();
    const fields = fieldsOf(server.port, { security });
    const tried = await fetchMails(
      readMailQuery({}),
      { position: null, isTrial: true },
      lendCredential({ type: 'imap', fields }),
      aMailContext(),
    );
    expect(tried.items).toHaveLength(1);
  });

  test('is tested without a mailbox', async () => {
    const server = await aServer();
    const fields: Readonly<Record<string, string>> = fieldsOf(server.port);
    const tcp = createTcpClient({ allow: ['127.0.0.1'] });
    await logInToImap((name) => fields[name] ?? '', { tcp, signal: AbortSignal.timeout(5_000) });
    expect(server.connections()).toBe(1);
  });

  test('that is refused is a rejected credential; a rotated one is read again', async () => {
    const server = await aServer();
    const wrong = lendCredential({
      type: 'imap',
      fields: fieldsOf(server.port, { password: 'wrong-password' }),
    });
    const fetch = (credential: LentCredential) =>
      fetchMails(readMailQuery({}), { position: null, isTrial: false }, credential, aMailContext());
    expect(await failureOf(fetch(wrong))).toMatchObject({ name: 'CredentialRejected', isRetryable: false });
    const rotated = {
      ...wrong,
      type: 'imap',
      field: wrong.field,
      refresh: async () => aCredential(server.port),
    };
    expect((await fetch(rotated as LentCredential)).keys).toEqual([]);
  });

  test('is not sent in plain text if the server does not offer STARTTLS', async () => {
    const server = await aServer({ isSecure: false, offersStartTls: false });
    const credential = aCredential(server.port, { security: 'starttls' });
    const fetching = fetchMails(
      readMailQuery({}),
      { position: null, isTrial: false },
      credential,
      aMailContext(),
    );
    expect(await failureOf(fetching)).toMatchObject({
      name: 'ImapError',
      isRetryable: false,
      message: expect.stringContaining('does not offer STARTTLS'),
    });
  });

  test('is not sent to a server whose certificate is not accepted', async () => {
    const server = await aServer();
    const fields = fieldsOf(server.port);
    await untrusting(async () => {
      const fetching = fetchMails(
        readMailQuery({}),
        { position: null, isTrial: false },
        lendCredential({ type: 'imap', fields }),
        aMailContext(),
      );
      expect(await failureOf(fetching)).toMatchObject({
        name: 'ImapError',
        isRetryable: false,
        message: expect.stringContaining('has a certificate that is not accepted'),
      });
    });
  });

  // holds: private-addresses-refused
  test('is not sent to a private address', async () => {
    const server = await aServer();
    const context = aMailContext();
    const guarded = { ...context, services: { ...context.services, tcp: createTcpClient() } };
    const fetching = fetchMails(
      readMailQuery({}),
      { position: null, isTrial: false },
      aCredential(server.port),
      guarded,
    );
    expect(isServiceError(await failureOf(fetching), 'OUTBOUND_REFUSED')).toBe(true);
    expect(server.connections()).toBe(0);
  });
});

describe('a server that fails', () => {
  /** A server that sends some bytes to each client. */
  const aRawServer = async (onConnect: (socket: Socket) => void) => {
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      onConnect(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(() => new Promise((resolve) => server.close(() => resolve())));
    return (server.address() as AddressInfo).port;
  };

  const fetchFrom = (port: number, context = aMailContext()) =>
    fetchMails(
      readMailQuery({}),
      { position: null, isTrial: false },
      aCredential(port, { security: 'none' }),
      context,
    );

  test('in the middle of a poll ends it, and the next poll catches up', async () => {
    const server = await aServer();
    server.receive();
    const { poll } = polls(server.port, { firstPoll: 'all' });
    const breaking = setInterval(() => server.connections() > 0 && server.breakAll(), 1);
    const failure = await failureOf(poll());
    clearInterval(breaking);
    expect(failure).toMatchObject({ name: 'ImapError', isRetryable: true });
    expect(await poll()).toEqual(['INBOX/7/1']);
  });

  test.each<[string, (socket: Socket) => void]>([
    ['closes the connection', (socket) => socket.end()],
    ['says goodbye', (socket) => socket.end('* BYE full\r\n')],
  ])('since it %s is an ImapError', async (_case, onConnect) => {
    expect(await failureOf(fetchFrom(await aRawServer(onConnect)))).toMatchObject({
      name: 'ImapError',
      isRetryable: true,
    });
  });

  test('to answer in time ends with the signal, and with a closed connection', async () => {
    const sockets: Socket[] = [];
    const port = await aRawServer((socket) => sockets.push(socket));
    const controller = new AbortController();
    const fetching = failureOf(fetchFrom(port, aMailContext({ signal: controller.signal })));
    while (sockets.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('the node has timed out'));
    expect((await fetching).message).toBe('the node has timed out');
    const [socket] = sockets;
    if (socket !== undefined && !socket.closed) {
      socket.resume();
      await new Promise((resolve) => socket.once('close', resolve));
    }
  });

  test('by announcing a huge literal ends at once, before it is sent', async () => {
    const port = await aRawServer((socket) => socket.write('* OK [X {900000000}\r\n'));
    expect(await failureOf(fetchFrom(port))).toMatchObject({ name: 'ImapError' });
  });

  test('to know a mailbox is named with its answer', async () => {
    const server = await aServer();
    const { poll } = polls(server.port, { mailbox: 'Nowhere' });
    expect(await failureOf(poll())).toMatchObject({
      name: 'ImapError',
      isRetryable: false,
      message: expect.stringMatching(/answered (?:NO|BAD)/),
    });
  });
});
