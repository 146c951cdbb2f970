import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as the server received it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and content, as they were sent. */
  readonly text: string;
  /** The connection was encrypted. */
  readonly isSecure: boolean;
  readonly username: string | undefined;
}

const read = (name: string): string => readFileSync(join(import.meta.dirname, 'tls', name), 'utf8');

/** An answer of the server that refuses something. */
export const refusal = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode });

/** A real mail server on the loopback interface, which keeps what it receives; `ann` may log in. */
export const aMailServer = async ({
  passwords = ['right-password'],
  ...options
}: SMTPServerOptions & {
  /** Those of `ann` that are valid. */
  readonly passwords?: readonly string[];
} = {}) => {
  const mails: ReceivedMail[] = [];
  const logins: string[] = [];
  let connections = 0;
  const server = new SMTPServer({
    cert: read('server.pem'),
    key: read('server.key'),
    authMethods: ['PLAIN'],
    disableReverseLookup: true,
    onConnect: (_session, callback) => {
      connections += 1;
      callback();
    },
    onAuth: ({ username, password }, _session, callback) => {
      logins.push(password ?? '');
      if (username === 'ann' && passwords.includes(password ?? '')) callback(null, { user: 'ann' });
      else callback(refusal(535, 'Authentication failed'));
    },
    onData: (stream, session, callback) => {
      const { mailFrom, rcptTo } = session.envelope;
      buffer(stream).then(
        (bytes) => {
          mails.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            text: bytes.toString(),
            isSecure: session.secure,
            username: session.user?.toString(),
          });
          callback();
        },
        () => callback(refusal(451, 'broken')),
      );
    },
    ...options,
  });
  server.on('error', () => {}); // a client that breaks off
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    mails,
    /** Passwords that were tried. */
    logins,
    connections: () => connections,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
};
