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
