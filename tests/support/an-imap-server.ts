import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import hoodiecrow from 'hoodiecrow-imap';

const read = (name: string): string => readFileSync(join(import.meta.dirname, 'tls', name), 'utf8');

interface GivenMail {
  readonly subject?: string;
  readonly from?: string;
  /** The whole mail; by default one with a text. */
  readonly raw?: string;
  readonly receivedAt?: Date;
  readonly flags?: readonly string[];
}

/** A real IMAP server on the loopback interface, with the mailboxes INBOX and Archive; `ann` may log in. */
export const anImapServer = async ({
  isSecure = true,
  offersStartTls = true,
  passwords = ['right-password'],
}: {
  readonly isSecure?: boolean;
  readonly offersStartTls?: boolean;
  /** The last one is valid. */
  readonly passwords?: readonly string[];
} = {}) => {
  const users = { ann: { password: passwords.at(-1) } };
  const server = hoodiecrow({
    secureConnection: isSecure,
    credentials: { cert: read('server.pem'), key: read('server.key') },
    plugins: ['ID', 'UIDPLUS', 'LITERALPLUS', ...(offersStartTls ? ['STARTTLS'] : [])],
    users,
    storage: { INBOX: { uidvalidity: 7 }, '': { folders: { Archive: { uidvalidity: 8 } } } },
  });
  const sockets = new Set<Socket>();
  let connections = 0;
  server.server.on('connection', (socket) => {
    connections += 1;
    // It writes a response in pieces, each of which would wait for 40 ms until the one before is acknowledged.
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.on('error', () => {}); // a client that breaks off
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  let mails = 0;
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    connections: () => connections,
    box: (path = 'INBOX') => server.getMailbox(path),
    /** Puts a mail into a mailbox. */
    receive: (mail: GivenMail = {}, path = 'INBOX') => {
      mails += 1;
      const { subject = `Mail ${mails}`, from = 'Ann <ann@example.com>' } = mail;
      const { receivedAt = new Date(Date.UTC(2026, 0, 1, 0, 0, mails)), flags = [] } = mail;
      const head = `From: ${from}\r\nTo: bob@example.com\r\nSubject: ${subject}\r\nMessage-ID: <${mails}@example.com>\r\n`;
      server.appendMessage(path, flags, receivedAt, mail.raw ?? `${head}\r\nText ${mails}\r\n`);
    },
    /** Gives all mails other numbers, as after a migration of the mailbox. */
    renumber: (path = 'INBOX') => {
      const box = server.getMailbox(path);
      box.uidvalidity += 1;
      box.messages = box.messages.map((message, at) => Object.assign(message, { uid: at + 1 }));
      box.uidnext = box.messages.length + 1;
    },
    flags: (path = 'INBOX') => server.getMailbox(path).messages.map(({ flags }) => flags),
    breakAll,
    close: async () => {
      breakAll();
      await new Promise<void>((resolve) => server.server.close(() => resolve()));
    },
  };
};
