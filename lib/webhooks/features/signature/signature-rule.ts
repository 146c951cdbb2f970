import { Type } from '@hookloom/plugin-kit';
import type { FromSchema } from '@hookloom/plugin-kit/host';

const JWT_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'HS256',
  'HS384',
  'HS512',
] as const;

const text = (description: string, options = {}) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description, ...options }));

const HEADER = { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$" };

/** The parameters of a signature, beside its scheme. */
export const signatureParameters = {
  credentialId: text(
    'The credential of the type signingSecret with the secret or public key; not for paypal, sns, or jwt with jwksUrl',
  ),
  toleranceSeconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description:
        'How many seconds the timestamp of a request may differ from the current time; by default 300, or what the sender requires. For jwt: how long an expired token is still accepted, 60 by default',
    }),
  ),
  url: text(
    'For twilio, and for {url} in hmac: the URL that the sender uses, without its query. By default https, the header Host and the path',
    { pattern: '^https?://[^\\s?#]+$' },
  ),
  issuer: text('For jwt: the claim iss'),
  audience: text('For jwt: the claim aud, or one of its values'),
  jwksUrl: text('For jwt: where the sender publishes its keys', {
    pattern: '^(https://|http://(localhost|127\\.0\\.0\\.1)[:/])[^\\s#]+$',
  }),
  algorithms: Type.Optional(
    Type.Array(Type.Enum([...JWT_ALGORITHMS]), {
      minItems: 1,
      description: 'For jwt: the accepted algorithms',
    }),
  ),
  topicArn: text('For sns: the ARN of the topic', {
    pattern: '^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_.-]+$',
  }),
  webhookId: text('For paypal: the id of the webhook', { pattern: '^[A-Za-z0-9_-]{1,100}$' }),
  header: text('For hmac, publicKey and token: the header with the signature or token', HEADER),
  algorithm: Type.Optional(
    Type.Enum(['sha256', 'sha384', 'sha512', 'sha1', 'ed25519', 'ecdsa-sha256', 'rsa-sha256'], {
      description:
        'For hmac: sha256 (the default) or another sha; for publicKey: one of the other algorithms',
    }),
  ),
  encoding: Type.Optional(
    Type.Enum(['hex', 'base64'], {
      description: 'For hmac and publicKey: the encoding of the signature; hex by default',
    }),
  ),
  prefix: text(
    'For hmac, publicKey and token: the text before each signature in the header, such as sha256=',
  ),
  timestampHeader: text(
    'For hmac and publicKey: the header with the time of the request, in seconds or milliseconds since 1970, or in ISO 8601',
    HEADER,
  ),
  timestampPrefix: text(
    'For hmac and publicKey: the text before the time, such as t=; without a timestampHeader, the time is in the signature header',
  ),
  timestampFormat: Type.Optional(
    Type.Enum(['seconds', 'milliseconds', 'iso8601'], {
      description:
        'For hmac and publicKey: how the time is written: seconds since 1970 (10 digits), milliseconds (13 digits) or ISO 8601; by default any of them, unless a digit is next to {timestamp} in the signed text',
    }),
  ),
  signed: text(
    'For hmac and publicKey: the signed text, {body} by default. {body}, {timestamp}, {method}, {url}, {path}, {query} and {headers.NAME} stand for parts of the request',
  ),
  wrongSignatureStatus: Type.Optional(
    Type.Enum([401, 403], {
      description:
        'For hmac, publicKey and token: the status for a wrong signature; 403 by default, 401 for senders that check for it',
    }),
  ),
  secretEncoding: Type.Optional(
    Type.Enum(['text', 'hex', 'base64'], {
      description: 'For hmac and jwt: the encoding of the secret; text by default',
    }),
  ),
};

const parametersSchema = Type.Object(signatureParameters);

export type SignatureParameters = FromSchema<typeof parametersSchema>;
