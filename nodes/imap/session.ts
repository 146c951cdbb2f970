import { isIP } from 'node:net';
import { connect } from 'node:tls';
import {
  CatalogueError,
  CREDENTIAL_REJECTED,
  findCertificateProblem,
  isNodeError,
  isServiceError,
  NodeError,
  type TcpClient,
  toLoginOptions,
} from '@hookloom/plugin-kit';
import { ImapFlow, type ImapTransport } from 'imapflow';
import { type MailServer, readMailServer } from '../email/mail-server.ts';

/** @param field - returns a field of the credential; empty if it is not set */
export const readImapServer = (field: (name: string) => string): MailServer =>
  readMailServer(field, 'tls', { tls: 993, plain: 143 });

interface SessionOptions {
  readonly tcp: TcpClient;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The largest mail that is read, in bytes: the connection ends if the server sends more. */
  readonly maxMailBytes: number;
}

/** Room for what surrounds a mail in a response. */
const RESPONSE_BYTES = 1_000_000;

/** A line of a million UIDs, as the answer to a search. */
const MAX_LINE_BYTES = 8_000_000;

/**
 * Connects to a mail server over IMAP (RFC 3501), logs in and runs `work`; the connection is always closed at the end,
 * whatever the server does.
 *
 * @throws AppError `OUTBOUND_*` or `CREDENTIAL_REJECTED`, NodeError `ImapError`, or the reason of the aborted signal
 */
export const withImapSession = async <Result>(
  server: MailServer,
  { tcp, timeoutMs, signal, maxMailBytes }: SessionOptions,
  work: (client: ImapFlow) => Promise<Result>,
): Promise<Result> => {
  const { host, port, security, username, password } = server;
  // Opened here, so that the address is checked as for all nodes: the library itself opens no connection.
  const socket = await tcp.connect({ host, port, timeoutMs, signal });
  // The certificate is checked for the host; an address is no name for SNI (RFC 6066 §3).
  const tls = { host, ...(isIP(host) === 0 ? { servername: host } : {}), minVersion: 'TLSv1.2' as const };
  const transport: ImapTransport = {
    connect: ({ secure }, onConnect) => {
      if (secure === true) return connect({ ...tls, socket }, onConnect);
      setImmediate(onConnect);
      return socket;
    },
    upgrade: (_plain, _options, onSecure) => connect({ ...tls, socket }, onSecure),
  };
  const client = new ImapFlow({
    host,
    port,
    transport,
    secure: security === 'tls',
    doSTARTTLS: security === 'starttls',
    auth: { user: username, pass: password },
    logger: false,
    clientInfo: { name: 'Hookloom' },
    // What a server decompresses could be larger than any limit.
    disableCompression: true,
    disableAutoIdle: true,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    maxLineLength: MAX_LINE_BYTES,
    maxLiteralSize: maxMailBytes + RESPONSE_BYTES,
    maxResponseSize: maxMailBytes + MAX_LINE_BYTES,
  });
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {}); // the connection may break after the work
  client.on('error', broken.reject);
  client.on('close', () => broken.reject(Object.assign(new Error('closed'), { code: 'EConnectionClosed' })));
  const onAbort = () => broken.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const running = client.connect().then(() => work(client));
    running.catch(() => {}); // it fails as well when the connection breaks
    const result = await Promise.race([broken.promise, running]);
    await Promise.race([broken.promise, client.logout()]).catch(() => {}); // what was read is read
    return result;
  } catch (error) {
    signal.throwIfAborted();
    throw isServiceError(error) || isNodeError(error) ? error : toImapError(server, error);
  } finally {
    signal.removeEventListener('abort', onAbort);
    client.close();
    socket.destroy();
  }
};

/** The fields that the library adds to its errors. */
interface ImapFailure {
  readonly code?: string | undefined;
  readonly authenticationFailed?: boolean;
  readonly responseStatus?: string | undefined;
  readonly responseText?: string | undefined;
  readonly serverResponseCode?: string | undefined;
  readonly tlsFailed?: boolean;
}

/** Codes of answers to a login that say that the server can't check it now (RFC 5530). */
const PASSING = /^(?:UNAVAILABLE|INUSE|LIMIT|SERVERBUG|CONTACTADMIN)$/;

const MAX_RESPONSE_LENGTH = 1_000;

/** @returns AppError `CREDENTIAL_REJECTED` if the server refuses the login, otherwise a NodeError */
const toImapError = ({ host, port, security }: MailServer, error: unknown): Error => {
  const target = `${host}:${port}`;
  const failure = (error ?? {}) as ImapFailure;
  const { code, responseStatus, responseText = '', serverResponseCode, authenticationFailed } = failure;
  const fail = (reason: string, isRetryable: boolean, details = {}) =>
    new NodeError(`${target} ${reason}`, { name: 'ImapError', isRetryable, details, cause: error });
  if (authenticationFailed === true && !PASSING.test(serverResponseCode ?? ''))
    return new CatalogueError(
      CREDENTIAL_REJECTED,
      { target, reason: serverResponseCode ?? 'the login was refused' },
      error,
    );
  const problem = findCertificateProblem(error);
  if (problem !== null) return fail(`has a certificate that is not accepted (${problem})`, false);
  if (code === 'LiteralTooLarge' || code === 'ResponseTooLarge' || code === 'LineTooLarge')
    return fail('sent more than it announced', false);
  if (failure.tlsFailed === true || code === 'EPROTO' || /STARTTLS/i.test(String(error)))
    return security === 'starttls'
      ? fail('does not offer STARTTLS, which the credential asks for (security: starttls)', false)
      : fail('could not be connected to with TLS', false);
  if (responseStatus === undefined) return fail('closed the connection', true);
  return fail(
    `answered ${responseStatus}`,
    responseStatus === 'BYE' || PASSING.test(serverResponseCode ?? ''),
    {
      response: responseText.slice(0, MAX_RESPONSE_LENGTH),
    },
  );
};

/**
 * Logs in and out again.
 *
 * @param field - returns a field of the credential
 * @throws AppError `OUTBOUND_*` or `CREDENTIAL_REJECTED`, NodeError `ImapError`
 */
export const logInToImap = (
  field: (name: string) => string,
  options: Pick<SessionOptions, 'tcp' | 'signal'>,
): Promise<void> =>
  withImapSession(readImapServer(field), { ...toLoginOptions(options), maxMailBytes: 0 }, async () => {});
