import { createHash, type KeyObject } from 'node:crypto';
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import { toPublicKey, toSharedKey } from '../../../credentials/signing-keys.ts';
import { quote } from '../../../shared/describe.ts';
import { type AppError, isRefusal, Refusal } from '../../../shared/errors.ts';
import { bearerChallenge, readBearer } from '../../bearer.chunk.ts';
import type { WebhookRequest } from '../../webhook.ts';
import type { FeaturePorts } from '../../webhook-feature.ts';
import { isEqual } from '../sender/is-equal.ts';
import { senderSecrets } from '../sender/sender-secrets.ts';
import { fetchedKeys } from './fetched-keys.ts';
import { refuseSignature } from './is-signed.ts';
import { readHeader } from './read-request.ts';
import { DEFAULT_TOLERANCE_SECONDS, type SignatureRule } from './schemes.ts';

const MAX_TOKEN_LENGTH = 16_384;
const CLOCK_TOLERANCE_SECONDS = 60;

type Key = KeyObject | Uint8Array | JWTVerifyGetKey;

/** The claims of a token signed with a key; null for any other key. @throws Refusal for any other fault of the token */
type ReadClaims = (key: Key) => Promise<JWTPayload | null>;

const keySets = fetchedKeys<JWTVerifyGetKey>({
  parse: (text) => createLocalJWKSet(JSON.parse(text) as JSONWebKeySet),
  maxRedirects: 2,
});

/**
 * Verifies a bearer token: a JSON Web Token (RFC 7519) with an expiry time. It authenticates the sender, not the body,
 * and can be replayed until it expires. Keys that the token itself names are not used.
 *
 * @throws AppError `SIGNATURE_INVALID` | `AUTHORIZATION_MALFORMED` | `SENDER_KEYS_UNAVAILABLE`, or as `senderSecrets`
 */
export const openJwt = (rule: SignatureRule, ports: FeaturePorts) => {
  const { credentialId = '', jwksUrl, algorithms = [], secretEncoding } = rule;
  const isShared = algorithms.every((name) => name.startsWith('HS'));
  const toKey = (secret: string) => (isShared ? toSharedKey(secret, secretEncoding) : toPublicKey(secret));
  return async (request: WebhookRequest): Promise<void> => {
    const token = readBearer(request.headers.authorization, 'signature');
    if (token === null) throw refuseToken('bearer token is missing');
    try {
      const readClaims = createReadClaims(token, toOptions(rule, ports.clock.now()));
      const isSigned =
        jwksUrl === undefined
          ? senderSecrets(ports).some(
              credentialId,
              async (secret) => (await readClaims(toKey(secret))) !== null,
            )
          : isOfKeySet(jwksUrl, readClaims, ports);
      if (!(await isSigned)) throw new Refusal('the token is signed with a different key');
    } catch (error) {
      throw isRefusal(error) ? refuseToken(error.message, 'invalid_token') : error;
    }
  };
};

const refuseToken = (reason: string, error?: 'invalid_token'): AppError =>
  refuseSignature(reason, bearerChallenge(error));

const toOptions = (rule: SignatureRule, now: number): JWTVerifyOptions => {
  const { issuer, audience, algorithms = [], toleranceSeconds = CLOCK_TOLERANCE_SECONDS } = rule;
  return {
    algorithms: [...algorithms],
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
    clockTolerance: toleranceSeconds,
    currentDate: new Date(now),
    requiredClaims: ['exp'],
  };
};

const createReadClaims =
  (token: string, options: JWTVerifyOptions): ReadClaims =>
  async (key) => {
    if (token.length > MAX_TOKEN_LENGTH) throw new Refusal('the token is too long');
    try {
      return (await jwtVerify(token, key as JWTVerifyGetKey, options)).payload;
    } catch (error) {
      if (OF_ANOTHER_KEY.some((type) => error instanceof type)) return null;
      throw toRefusal(error);
    }
  };

const OF_ANOTHER_KEY = [errors.JWSSignatureVerificationFailed, errors.JWKSNoMatchingKey];

/** Errors that are not the token's fault are returned unchanged. */
const toRefusal = (error: unknown): unknown => {
  if (error instanceof errors.JWTExpired) return new Refusal('the token has expired');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new Refusal(`claim ${error.claim} is missing or has a different value`);
  if (error instanceof errors.JOSEAlgNotAllowed) return new Refusal('algorithm not allowed');
  return error instanceof errors.JOSEError ? new Refusal('the token is malformed') : error;
};

const isOfKeySet = async (url: string, readClaims: ReadClaims, ports: FeaturePorts): Promise<boolean> => {
  const sets = keySets(ports);
  const known = await sets.find(url);
  if ((await readClaims(known)) !== null) {
    sets.trust(url);
    return true;
  }
  const latest = await sets.renew(url);
  return latest !== known && (await readClaims(latest)) !== null;
};

/**
 * Verifies Plaid's token, which contains the hash of the body, with the credential's keys: a JWK, a JWK set, or PEM.
 *
 * @throws Refusal, or AppError as `senderSecrets`
 */
export const openPlaid = (rule: SignatureRule, ports: FeaturePorts) => {
  const { credentialId = '', toleranceSeconds = DEFAULT_TOLERANCE_SECONDS } = rule;
  return async (request: WebhookRequest): Promise<void> => {
    const token = readHeader(request, 'plaid-verification');
    const readClaims = createReadClaims(token, {
      algorithms: ['ES256'],
      maxTokenAge: toleranceSeconds,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(ports.clock.now()),
    });
    const hash = createHash('sha256').update(request.rawBody).digest('hex');
    const isSigned = await senderSecrets(ports).some(credentialId, async (secret) => {
      const claims = await readClaims(toKeys(secret));
      if (claims === null) return false;
      if (isEqual(String(claims.request_body_sha256), hash)) return true;
      throw new Refusal('the body hash in the token does not match');
    });
    if (isSigned) return;
    const { kid } = decodeProtectedHeader(token); // with which the operator can request the key from Plaid
    throw new Refusal(`the token is signed with a different key: ${quote(String(kid ?? ''))}`);
  };
};

/**
 * Keys that Plaid has replaced have an `expired_at`. They verify nothing, as in Plaid's own sample:
 * https://support.plaid.com/hc/en-us/articles/360041410794-Webhook-verification-example
 *
 * @throws Error when the secret contains no key
 */
const toKeys = (secret: string): Key => {
  if (/^\s*\{[^{}]*"keys"/.test(secret))
    return createLocalJWKSet({ keys: (JSON.parse(secret) as JSONWebKeySet).keys.filter(isCurrent) });
  const key = toPublicKey(secret);
  const isJwk = secret.trimStart().startsWith('{');
  return isJwk && !isCurrent(JSON.parse(secret)) ? createLocalJWKSet({ keys: [] }) : key;
};

const isCurrent = (key: JWK & { readonly expired_at?: unknown }): boolean =>
  (key.expired_at ?? null) === null;
