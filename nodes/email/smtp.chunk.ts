import {
  CatalogueError,
  CREDENTIAL_REJECTED,
  findCertificateProblem,
  fromAttempt,
  isServiceError,
  type JsonObject,
  type LentCredential,
  type NodeContext,
  NodeError,
  type TcpClient,
  toLoginOptions,
  withRotation,
} from '@hookloom/plugin-kit';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { type MailServer, readMailServer } from './mail-server.ts';
import { composeMail, type Message, unwrapAttachmentError } from './message.ts';

/**
 * Sends a mail over SMTP (RFC 5321). Output: `{ messageId, accepted, rejected: [{ address, response }] }`.
 *
 * @throws NodeError `SmtpError` or `CredentialRejected`, AppError `OUTBOUND_*` or `FILE_*`
 */
export const sendBySmtp = async (
  message: Message,
  credential: LentCredential,
  context: NodeContext,
): Promise<JsonObject> =>
  withRotation(credential, (current) =>
    withSmtpSession(
      readSmtpServer((name) => current.field(name)),
      { tcp: context.services.tcp, ...fromAttempt(context) },
      (connection) => transmitMail(connection, message, context),
    ),
  );

const transmitMail = async (
  connection: SMTPConnection,
  message: Message,
  context: NodeContext,
): Promise<JsonObject> => {
  const { messageId, sender, recipients, open } = composeMail(message, context);
  const info = await new Promise<SMTPConnection.SentMessageInfo>((resolve, reject) => {
    connection.send({ from: sender, to: [...recipients] }, open(), (error, sent) =>
      error ? reject(unwrapAttachmentError(error)) : resolve(sent),
    );
  });
  return { messageId, accepted: info.accepted, rejected: (info.rejectedErrors ?? []).map(toRejected) };
};

/** Maximum size of a response, larger than any of a real server. */
const MAX_RESPONSE_BYTES = 65_536;

/** How long a server may take to close its side of a connection that was ended. */
const CLOSE_MS = 1_000;

export interface SessionOptions {
  readonly tcp: TcpClient;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Connects to a mail server, logs in and runs `work`; the connection is always closed at the end, whatever the server
 * does.
 *
 * @throws AppError `OUTBOUND_*` or `CREDENTIAL_REJECTED`, NodeError `SmtpError`, or the reason of the aborted signal
 */
export const withSmtpSession = async <Result>(
  server: MailServer,
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

/** The fallback timeout of each phase; normally the caller's signal ends the session earlier. */
const toConnectionOptions = ({ host, port, security }: MailServer, timeoutMs: number) => ({
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

const logIn = async (connection: SMTPConnection, { username, password }: MailServer): Promise<void> => {
  await new Promise<void>((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve()));
  });
  const credentials = { user: username, pass: password };
  await new Promise<void>((resolve, reject) => {
    connection.login({ credentials }, (error) => (error ? reject(error) : resolve()));
  });
};

const MAX_RESPONSE_LENGTH = 1_000;

/** The fields that the mail library adds to its errors. */
interface SmtpFailure {
  readonly code?: string | undefined;
  readonly command?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly recipient?: string | undefined;
  readonly rejectedErrors?: readonly SmtpFailure[] | undefined;
}

/** A recipient that the server rejected, with its response. */
const toRejected = ({ recipient = '', response = '' }: SmtpFailure) => ({
  address: recipient,
  response: response.slice(0, MAX_RESPONSE_LENGTH),
});

/**
 * The error of an SMTP session. A 4xx response (RFC 5321 §4.2.1) or a lost connection may be temporary; a 5xx response
 * is permanent. Details: `{ status, command, response, rejected }`.
 *
 * @returns AppError `CREDENTIAL_REJECTED` if the server permanently rejects the login, otherwise a NodeError
 */
const toSmtpError = ({ host, port, security }: MailServer, error: unknown): Error => {
  const target = `${host}:${port}`;
  const failure = (error ?? {}) as SmtpFailure;
  const { code, command = 'CONN', response = '', responseCode: status, rejectedErrors = [] } = failure;
  const fail = (reason: string, isRetryable: boolean, details = {}) =>
    new NodeError(`${target} ${reason}`, {
      name: 'SmtpError',
      isRetryable,
      details: { command, ...details },
      cause: error,
    });
  if (code === 'EAUTH' && (status === undefined || status >= 500))
    return new CatalogueError(
      CREDENTIAL_REJECTED,
      { target, reason: status === undefined ? 'all login methods failed' : `it answered ${status}` },
      error,
    );
  const problem = findCertificateProblem(error);
  if (problem !== null) return fail(`has a certificate that is not accepted (${problem})`, false);
  if (status === undefined) {
    if (code !== 'ETLS') return fail(`closed the connection after ${command}`, true);
    return fail('could not be connected to with TLS', false);
  }
  if (code === 'ETLS')
    return fail(`does not offer STARTTLS, which the credential asks for (security: ${security})`, false, {
      status,
    });
  const details = {
    status,
    response: response.slice(0, MAX_RESPONSE_LENGTH),
    ...(rejectedErrors.length === 0 ? {} : { rejected: rejectedErrors.map(toRejected) }),
  };
  return fail(`answered ${status} to ${command}`, status < 500, details);
};

/** @param field - returns a field of the credential; empty if it is not set */
export const readSmtpServer = (field: (name: string) => string): MailServer =>
  readMailServer(field, 'starttls', { tls: 465, plain: 587 });

/**
 * Logs in and out again. Separate from sending, so that a live test does not load the code that composes mails.
 *
 * @param field - returns a field of the credential
 * @throws AppError `OUTBOUND_*` or `CREDENTIAL_REJECTED`, NodeError `SmtpError`
 */
export const logInToSmtp = (
  field: (name: string) => string,
  options: Pick<SessionOptions, 'tcp' | 'signal'>,
): Promise<void> => withSmtpSession(readSmtpServer(field), toLoginOptions(options), async () => {});
