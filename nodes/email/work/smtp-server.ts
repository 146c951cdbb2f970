/** A mail server and the login to it, as a credential of the type `smtp` has them. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly security: 'starttls' | 'tls' | 'none';
  readonly username: string;
  readonly password: string;
}

/** @param field - a field of the credential; empty when it is not set */
export const readSmtpServer = (field: (name: string) => string): SmtpServer => {
  const given = field('security');
  const security = given === 'tls' || given === 'none' ? given : 'starttls';
  return {
    host: field('host'),
    port: Number(field('port') || (security === 'tls' ? 465 : 587)),
    security,
    username: field('username'),
    password: field('password'),
  };
};
