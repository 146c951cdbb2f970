import { OUTBOUND_FAILED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';

const reasons = new Map([
  ['ENOTFOUND', 'the host is unknown'],
  ['EAI_AGAIN', 'the host name could not be looked up'],
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was closed before the answer was complete'],
  ['EPIPE', 'the connection was closed before the request was complete'],
  ['EHOSTUNREACH', 'there is no route to the host'],
  ['ENETUNREACH', 'there is no route to the host'],
  ['ETIMEDOUT', 'the host does not answer'],
]);

/** OpenSSL's codes for something that can't be read or decrypted; those of a handshake start differently. */
const KEY_CODE = 'ERR_OSSL_';
const KEY_PROBLEM = 'the client certificate, its key or its passphrase cannot be used';

/** Codes of Node's parser for an answer that it can't read, and for one that breaks off. */
const PARSER_CODE = 'HPE_';
const CUT_OFF = 'HPE_INVALID_EOF_STATE';

/**
 * The error of a failed exchange for the workflow. Its reason depends only on the error's code, because the system's
 * messages contain addresses, and the parser's contain received bytes. The error itself is the `cause`.
 */
export const toOutboundFailure = (target: string, error: unknown): AppError<'OUTBOUND_FAILED'> => {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const known = code.startsWith(KEY_CODE) ? KEY_PROBLEM : reasons.get(code);
  const reason = known ?? (code || 'the request could not be sent');
  const isAnswered = code.startsWith(PARSER_CODE) && code !== CUT_OFF;
  return new AppError(OUTBOUND_FAILED, { target, reason, isAnswered }, error);
};
