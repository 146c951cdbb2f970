import { isServiceError, type NodeContext, type TcpClient } from '@hookloom/plugin-kit';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { toSmtpError } from './smtp-error.ts';
import type { SmtpServer } from './smtp-server.ts';

/** Larger than any answer of a real server. */
const MAX_RESPONSE_BYTES = 65_536;

/** How long a server may take to close its side of a connection that was ended. */
const CLOSE_MS = 1_000;

export interface SessionOptions {
  readonly tcp: TcpClient;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Connects to a mail server, logs in and does some work; whatever the server does, the connection is closed in the end.
 *
 * @throws AppError `OUTBOUND_*` or `CREDENTIAL_REJECTED`, NodeError `SmtpError`, or the reason of the aborted signal
 */
export const withSmtpSession = async <Result>(
  server: SmtpServer,
  { tcp, timeoutMs, signal }: SessionOptions,
  work: (connection: SMTPConnection) => Promise<Result>,
): Promise<Result> => {
  const { host, port } = server;
  const socket = await tcp.connect({ host, port, timeoutMs, signal });
  const connection = new SMTPConnection({
    ...toConnectionOptions(server, timeoutMs),
    connection: socket,
  });
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {}); // the connection may break after the work
  connection.on('error', broken.reject);
  const onAbort = () => broken.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const result = await Promise.race([
      broken.promise,
      logIn(connection, server).then(() => work(connection)),
    ]);
    connection.quit(); // its answer is not awaited: what was sent is sent
    connection.close();
    return result;
  } catch (error) {
    connection.close();
    socket.destroy();
    signal.throwIfAborted();
    throw isServiceError(error) ? error : toSmtpError(server, error);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};

/** The timeout of the session, which the caller's signal ends, is the last resort of each phase. */
const toConnectionOptions = ({ host, port, security }: SmtpServer, timeoutMs: number) => ({
  host,
  port,
  secure: security === 'tls',
  requireTLS: security === 'starttls',
  ignoreTLS: security === 'none',
  tls: { minVersion: 'TLSv1.2' as const },
  connectionTimeout: timeoutMs,
  greetingTimeout: timeoutMs,
  socketTimeout: timeoutMs,
  socketCloseTimeout: CLOSE_MS,
  maxResponseSize: MAX_RESPONSE_BYTES,
});

const logIn = async (connection: SMTPConnection, { username, password }: SmtpServer): Promise<void> => {
  await new Promise<void>((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve()));
  });
  const credentials = { user: username, pass: password };
  await new Promise<void>((resolve, reject) => {
    connection.login({ credentials }, (error) => (error ? reject(error) : resolve()));
  });
};

/** Of an attempt: later than that of the node, so that the node's message is shown. */
export const toSessionOptions = ({ services, remainingMs, signal }: NodeContext): SessionOptions => ({
  tcp: services.tcp,
  timeoutMs: remainingMs() + 1_000,
  signal,
});
