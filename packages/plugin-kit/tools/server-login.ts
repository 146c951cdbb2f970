import { NodeError } from '../contract/errors.ts';
import { isServiceError } from '../contract/service-error.ts';
import type { LentCredential, TcpClient } from '../contract/services.ts';

/**
 * Calls a server with a credential. If the server rejects it, calls once more with the currently stored one if that
 * differs, so that a rotation needs no deployment.
 *
 * @param call - throws AppError `CREDENTIAL_REJECTED` if the server rejects the credential
 * @throws NodeError `CredentialRejected` if it rejects both, and whatever `call` throws
 */
export const withRotation = async <Result>(
  credential: LentCredential,
  call: (credential: LentCredential) => Promise<Result>,
): Promise<Result> => {
  try {
    return await call(credential);
  } catch (error) {
    if (!isServiceError(error, 'CREDENTIAL_REJECTED')) throw error;
    const rotated = await credential.refresh();
    if (rotated === null) throw toNodeError(error);
    return call(rotated).catch((second: unknown) => {
      throw toNodeError(second);
    });
  }
};

const toNodeError = (error: unknown): unknown =>
  isServiceError(error, 'CREDENTIAL_REJECTED')
    ? new NodeError(error.message, { name: 'CredentialRejected', isRetryable: false, cause: error })
    : error;

/** Prefixes of the OpenSSL and Node.js error codes for a certificate that could not be verified. */
const CODES = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_CERT_)/;

/** The code of an error with which a TLS client refuses the server's certificate; null for any other error. */
export const findCertificateProblem = (error: unknown): string | null => {
  const { originalCode, code } = (error ?? {}) as {
    readonly originalCode?: unknown;
    readonly code?: unknown;
  };
  const found = [originalCode, code].find((each) => typeof each === 'string' && CODES.test(each));
  return found === undefined ? null : String(found);
};

interface LoginOptions {
  readonly tcp: TcpClient;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 10_000;

/** Options for only logging in to a server, which ends in time wherever the server hangs. */
export const toLoginOptions = ({
  tcp,
  signal,
}: LoginOptions): LoginOptions & { readonly timeoutMs: number } => ({
  tcp,
  signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  timeoutMs: TIMEOUT_MS,
});

/**
 * The credential of a node whose parameter `via` determines the type.
 *
 * @throws NodeError if there is none, or it has a different type
 */
export const requireCredential = (
  credential: LentCredential | null,
  via: string,
  type: string,
): LentCredential => {
  if (credential?.type === type) return credential;
  throw wrongCredential(`via: ${via} needs a credential of the type ${type} in credentialId`);
};

/**
 * Like {@link requireCredential}, but the credential is optional, since the service's own role is used without one.
 * @throws NodeError if it has a different type
 */
export const takeRole = (credential: LentCredential | null, via: string): LentCredential | undefined => {
  if (credential === null) return undefined;
  if (credential.type === 'awsRole') return credential;
  throw wrongCredential(`via: ${via} takes a credential of the type awsRole, or none`);
};

const wrongCredential = (message: string): NodeError =>
  new NodeError(message, { name: 'CredentialUnusable', isRetryable: false });
