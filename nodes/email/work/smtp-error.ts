import { findCertificateProblem, NodeError, serviceError } from '@hookloom/plugin-kit';
import type { SmtpServer } from './smtp-server.ts';

const MAX_RESPONSE_LENGTH = 1_000;

/** What the mail library adds to its errors. */
interface SmtpFailure {
  readonly code?: string | undefined;
  readonly command?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly recipient?: string | undefined;
  readonly rejectedErrors?: readonly SmtpFailure[] | undefined;
}

/** A recipient that the server does not take, with its answer. */
export const toRejected = ({ recipient = '', response = '' }: SmtpFailure) => ({
  address: recipient,
  response: response.slice(0, MAX_RESPONSE_LENGTH),
});

/**
 * The error of a dialogue with a mail server. An answer 4xx (RFC 5321 §4.2.1) and a lost connection may pass, an answer
 * 5xx does not. Details: `{ status, command, response, rejected }`.
 *
 * @returns AppError `CREDENTIAL_REJECTED` when the server refuses the login for good, else a NodeError
 */
export const toSmtpError = ({ host, port, security }: SmtpServer, error: unknown): Error => {
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
    return serviceError(
      'CREDENTIAL_REJECTED',
      { target, reason: status === undefined ? 'no way to log in is left' : `it answered ${status}` },
      error,
    );
  const problem = findCertificateProblem(error);
  if (problem !== null) return fail(`has a certificate that is not accepted (${problem})`, false);
  if (status === undefined) {
    if (code !== 'ETLS') return fail(`closed the connection at ${command}`, true);
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
