import type { TcpTarget } from '@hookloom/plugin-kit';

type Security = 'starttls' | 'tls' | 'none';

/** A mail server and its login, from a credential of the type `smtp` or `imap`. */
export interface MailServer extends Pick<TcpTarget, 'host' | 'port'> {
  readonly security: Security;
  readonly username: string;
  readonly password: string;
}

const SECURITIES: readonly Security[] = ['starttls', 'tls', 'none'];

/**
 * @param field - returns a field of the credential; empty if it is not set
 * @param initial - the security of a credential that has none
 * @param ports - the protocol's ports with and without TLS from the start
 */
export const readMailServer = (
  field: (name: string) => string,
  initial: Security,
  ports: { readonly tls: number; readonly plain: number },
): MailServer => {
  const security = SECURITIES.find((one) => one === field('security')) ?? initial;
  return {
    host: field('host'),
    port: Number(field('port') || (security === 'tls' ? ports.tls : ports.plain)),
    security,
    username: field('username'),
    password: field('password'),
  };
};
