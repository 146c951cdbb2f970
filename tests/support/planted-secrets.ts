import { generateKeyPairSync } from 'node:crypto';
import { emit, type JsonObject, type NodeContext, NodeError, type PluginHandle } from '@hookloom/plugin-kit';
import { type Answer, anOutboundService } from './outbound-credentials.ts';
import { formsOf } from './secret-forms.ts';

interface Planted {
  readonly secret: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, string>>;
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

const aServiceAccountKey = JSON.stringify({
  type: 'service_account',
  client_email: 'robot@shop.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  token_uri: 'https://login.example.com/token',
});

/** One credential of each built-in type, whose id is its type; the secrets have characters that encodings change. */
export const planted: Readonly<Record<string, Planted>> = {
  httpBearer: { secret: { token: 'beärer/"token"+1?' } },
  httpBasic: { secret: { password: 'basic pässword&=2%' }, fields: { username: 'ann' } },
  httpHeader: {
    secret: { value: 'header-value/+3=="x"', secondValue: 'sëcond value/17' },
    fields: { name: 'x-api-key', secondName: 'x-app-key' },
  },
  httpQuery: { secret: { value: 'query välue\\4&5' }, fields: { name: 'key' } },
  httpBody: { secret: { value: 'body välue"/18' }, fields: { name: 'api_key' } },
  googleServiceAccount: {
    secret: { key: aServiceAccountKey },
    fields: { scope: 'https://www.googleapis.com/auth/drive' },
  },
  awsKeys: { secret: { secretAccessKey: 'wJalr/XUtn+19=' }, fields: { accessKeyId: 'AKIDEXAMPLE' } },
  oauth2: {
    secret: { clientSecret: 'cliënt:secret\n6%', refreshToken: 'refresh/token+7' },
    fields: { tokenUrl: 'https://login.example.com/token', clientId: 'client', grant: 'refreshToken' },
  },
  awsRole: {
    secret: { externalId: 'external:id/8' },
    fields: { roleArn: 'arn:aws:iam::123456789012:role/hookloom-dev/reports' },
  },
  tlsClient: {
    secret: {
      key: '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqG+/Kx=\n-----END PRIVATE KEY-----\n',
      passphrase: 'päss:phrase/12',
    },
    fields: { certificate: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n' },
  },
  slackWebhook: { secret: { url: 'https://hooks.example.com/services/T13/B14/canäry?a="15"' } },
  smtp: { secret: { password: 'smtp "pass" 9' }, fields: { host: 'mail.example.com', username: 'ann' } },
  imap: { secret: { password: 'imäp "pass" 18' }, fields: { host: 'mail.example.com', username: 'ann' } },
  postgres: {
    secret: { password: 'p0stgres@pass:word/10' },
    fields: { host: 'db.example.com', database: 'shop', username: 'ann' },
  },
  signingKey: { secret: { key: 'shared/key+13==', passphrase: 'pass phräse/14' } },
  signingSecret: { secret: { secret: 'whsec_sïgning/15==', previous: 'whsec_previous+16' } },
};

/** Made by servers from the secrets. */
const derived = ['access-tokën/"11"', 'session-token-1'];

export const plantedSecrets: readonly string[] = [
  ...Object.values(planted).flatMap(({ secret }) => Object.values(secret)),
  ...derived,
];

/** Answers with all that it was sent, as some test servers do; and gives OAuth tokens. */
const echo: Answer = ({ url, headers, body }) =>
  url === 'https://login.example.com/token'
    ? { text: JSON.stringify({ access_token: derived[0], expires_in: 600 }) }
    : { text: JSON.stringify({ url, headers, body }) };

/** A service that holds the planted credentials. */
export const aPlantedService = async () => {
  const service = anOutboundService({ answer: echo });
  for (const [id, { secret, fields = {} }] of Object.entries(planted))
    await service.put(id, id, secret, fields);
  return service;
};

/** Ways in which a node leaks what it knows. */
export const leaks = {
  output: (text: string) => ({ text, list: [{ text }], [text]: true }),
  outputs: (text: string) => emit({ main: { text }, [`output ${text}`]: { text } }),
  response: (text: string) => emit({ main: {}, response: { body: text } }),
  throws: (text: string) => {
    throw Object.assign(new Error(text), { name: text, cause: new Error(text) });
  },
  throwsDetails: (text: string) => {
    throw new NodeError('no', { details: { text, list: [{ text }], [text]: true } });
  },
  throwsText: (text: string) => {
    throw text;
  },
  throwsCut: (text: string) => {
    throw new Error(`${'x'.repeat(980)}${text}`);
  },
  logs: (text: string, { logger }: NodeContext) => {
    logger.info(text, { text, deep: { text: [text] }, cause: new Error(text, { cause: text }) });
    logger.error('a map', { [text]: text, big: 1n, toJSON: () => text });
    return {};
  },
  rejects: async (text: string) => {
    throw new TypeError(text);
  },
  strays: (text: string, _context: NodeContext, stray: (error: Error) => void) => {
    stray(new Error(text, { cause: text }));
    return { ok: true };
  },
} satisfies Record<
  string,
  (text: string, context: NodeContext, stray: (error: Error) => void) => ReturnType<PluginHandle['execute']>
>;

/**
 * A node that calls out with its credential, and leaks it in all forms in the way that its parameter `how` names.
 *
 * @param stray - raises an error that no code of the engine can catch
 */
export const createLeak =
  (stray: (error: Error) => void = () => {}): PluginHandle['execute'] =>
  async ({ parameters }, _input, context) => {
    const { credential, services, signal } = context;
    if (credential === null) throw new Error('it has no credential');
    const { secret } = planted[credential.id] ?? { secret: {} };
    const known = Object.keys(secret).flatMap((name) => Object.values(formsOf(credential.field(name))));
    const isLent = ['smtp', 'imap', 'postgres', 'signingKey', 'signingSecret'].includes(credential.id);
    const echoed = isLent
      ? []
      : await services.http
          .request({
            method: 'POST',
            url: 'https://api.example.com/echo?a=1',
            headers: { accept: '*/*' },
            body: credential.id === 'httpBody' ? '{}' : 'a body',
            timeoutMs: 1_000,
            maxRedirects: 0,
            maxResponseBytes: 100_000,
            signal,
            credential,
          })
          .then(({ url, body }) => [url, new TextDecoder().decode(body)]);
    const way = leaks[parameters.how as keyof typeof leaks];
    return way([...known, ...echoed].join(' | '), context, stray) as JsonObject;
  };
