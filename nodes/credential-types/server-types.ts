import type { CredentialContext, CredentialType } from '@hookloom/plugin-kit';
import { textSchema } from './parts.ts';

// Types that give a node the address and the login of a server. Their live tests log in with the nodes' own code, which
// is loaded on use.

const port = (initial: string) => ({ pattern: '^[0-9]{1,5}$', default: initial, description: 'Port' });

const login = {
  username: { minLength: 1, description: 'User name' },
  password: { minLength: 1, description: 'Password' },
};

const host = { minLength: 1, description: 'Host' };

/** Logs in to a server, and out again. @throws what is shown as the result of an unhealthy credential */
type LogIn = (
  field: (name: string) => string,
  options: Pick<CredentialContext, 'tcp' | 'signal'>,
) => Promise<void>;

const testLogin =
  (loadLogIn: () => Promise<LogIn>): NonNullable<CredentialType['test']> =>
  async (fields, context) => {
    const logIn = await loadLogIn();
    await logIn((name) => fields[name] ?? '', context);
    return { status: 'healthy', message: `${fields.host} accepts the login` };
  };

export const smtp: CredentialType = {
  id: 'smtp',
  name: 'Mail server',
  description: 'Gives a node the address and the login of a mail server (SMTP)',
  schema: textSchema('host username password', {
    host,
    port: port('587'),
    security: { enum: ['starttls', 'tls', 'none'], default: 'starttls', description: 'Encryption' },
    ...login,
  }),
  secretFields: ['password'],
  test: testLogin(async () => (await import('../email/smtp.chunk.ts')).logInToSmtp),
};

export const imap: CredentialType = {
  id: 'imap',
  name: 'Mailbox',
  description: 'Gives a trigger the address and the login of a mail server that it reads from (IMAP)',
  schema: textSchema('host username password', {
    host,
    port: port('993'),
    security: { enum: ['tls', 'starttls', 'none'], default: 'tls', description: 'Encryption' },
    ...login,
  }),
  secretFields: ['password'],
  test: testLogin(async () => (await import('../imap/fetch-mails.chunk.ts')).logInToImap),
};

export const postgres: CredentialType = {
  id: 'postgres',
  name: 'PostgreSQL',
  description: 'Gives a node the address and the login of a PostgreSQL database',
  schema: textSchema('host database username password', {
    host,
    port: port('5432'),
    database: { minLength: 1, description: 'Database' },
    sslmode: {
      enum: ['disable', 'require', 'verify-full'],
      default: 'verify-full',
      description: 'Encryption, as in a connection string',
    },
    ca: {
      pattern: '^-----BEGIN CERTIFICATE-----\\s[\\s\\S]+-----END ',
      description:
        "Certificates of the server's authority in PEM, such as those of the region from Amazon RDS; by default those that Node trusts",
    },
    ...login,
  }),
  secretFields: ['password'],
  test: testLogin(async () => (await import('../postgres/postgres.chunk.ts')).logInToPostgres),
};

/** Gives a key to a node that signs, such as `crypto`. */
export const signingKey: CredentialType = {
  id: 'signingKey',
  name: 'Signing key',
  description: 'Gives a node that signs or verifies a key: a shared key (HMAC) or a private key',
  schema: textSchema('key', {
    key: { minLength: 1, description: 'The shared key, or a private key in PEM' },
    encoding: {
      enum: ['utf8', 'hex', 'base64'],
      default: 'utf8',
      description: 'The encoding of a shared key',
    },
    passphrase: { description: 'Passphrase of an encrypted private key' },
  }),
  secretFields: ['key', 'passphrase'],
};

/**
 * Provides secrets for signing or verifying. Two are valid during a rotation, since senders change theirs at a time of
 * their choosing.
 */
export const signingSecret: CredentialType = {
  id: 'signingSecret',
  name: 'Signing secret',
  description: 'Provides a secret, a key or a token for signing data or verifying signatures',
  schema: textSchema('secret', {
    secret: { minLength: 1, description: 'The secret as its sender shows it, or a key in PEM' },
    previous: {
      readOnly: true,
      previousOf: 'secret',
      description: 'The secret before the last rotation, still accepted',
    },
  }),
  secretFields: ['secret', 'previous'],
};
