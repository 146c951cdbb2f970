/** A PostgreSQL database and the login to it, as a credential of the type `postgres` has them. */
export interface PostgresServer {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly username: string;
  readonly password: string;
  readonly sslmode: 'disable' | 'require' | 'verify-full';
  /** Certificates of authorities in PEM; empty for those that Node trusts. */
  readonly ca: string;
}

/** @param field - a field of the credential; empty when it is not set */
export const readPostgresServer = (field: (name: string) => string): PostgresServer => {
  const sslmode = field('sslmode');
  return {
    host: field('host'),
    port: Number(field('port') || 5432),
    database: field('database'),
    username: field('username'),
    password: field('password'),
    sslmode: sslmode === 'disable' || sslmode === 'require' ? sslmode : 'verify-full',
    ca: field('ca'),
  };
};
