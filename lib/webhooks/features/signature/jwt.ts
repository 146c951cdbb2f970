import { createPublicKey } from 'node:crypto';
import { errors, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import { Refusal } from '../../../shared/refusal.ts';
import type { SignatureRule } from '../../../workflows/webhook-rules/signature/schema.ts';
import type { FeaturePorts } from '../../webhook-feature.ts';
import type { WebhookRequest } from '../../webhook-request.ts';
import { senderSecrets } from '../sender/sender-secrets.ts';
import { decodeSecret } from './decode-secret.ts';
import { keySets } from './key-sets.ts';
import { readHeader } from './scheme.ts';

const MAX_TOKEN_LENGTH = 16_384;
const DEFAULT_TOLERANCE_SECONDS = 60;

/** The result for a key: whether the token is signed with it. */
type IsSignedWith = (key: Parameters<typeof jwtVerify>[1] | JWTVerifyGetKey) => Promise<boolean>;

/**
 * Verifies a bearer token: a JSON Web Token (RFC 7519) with an end. It proves its sender, not the body, and can be sent
 * again until it ends. Keys that the token itself names are not used.
 *
 * @throws Refusal, and AppError `SENDER_KEYS_UNAVAILABLE` or as `senderSecrets`
 */
export const openJwt = (rule: SignatureRule, ports: FeaturePorts) => {
  const { credentialId, jwksUrl, algorithms = [], secretEncoding } = rule;
  const isShared = algorithms.every((name) => name.startsWith('HS'));
  return async (request: WebhookRequest): Promise<void> => {
    const isSignedWith = readToken(request, toOptions(rule, ports.clock.now()));
    const isSigned =
      jwksUrl === undefined
        ? senderSecrets(ports).some(credentialId ?? '', (secret) =>
            isSignedWith(isShared ? toSharedKey(secret, secretEncoding) : createPublicKey(secret)),
          )
        : isOfKeySet(jwksUrl, isSignedWith, ports);
    if (!(await isSigned)) throw new Refusal('the token is signed with another key');
  };
};

const toOptions = (rule: SignatureRule, now: number): JWTVerifyOptions => {
  const { issuer, audience, algorithms = [], toleranceSeconds = DEFAULT_TOLERANCE_SECONDS } = rule;
  return {
    algorithms: [...algorithms],
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
    clockTolerance: toleranceSeconds,
    currentDate: new Date(now),
    requiredClaims: ['exp'],
  };
};

/** `Authorization: Bearer` (RFC 6750 §2.1). */
const readToken = (request: WebhookRequest, options: JWTVerifyOptions): IsSignedWith => {
  const header = readHeader(request, 'authorization');
  if (header.length > MAX_TOKEN_LENGTH) throw new Refusal('the token is too long');
  const [, token] = /^Bearer +([A-Za-z0-9_.-]+)$/i.exec(header) ?? [];
  if (token === undefined) throw new Refusal('there is no bearer token');
  return async (key) => {
    try {
      await jwtVerify(token, key as JWTVerifyGetKey, options);
      return true;
    } catch (error) {
      if (OF_ANOTHER_KEY.some((type) => error instanceof type)) return false;
      throw toRefusal(error);
    }
  };
};

const OF_ANOTHER_KEY = [errors.JWSSignatureVerificationFailed, errors.JWKSNoMatchingKey];

/** Anything else than a fault of the token stays as it is. */
const toRefusal = (error: unknown): unknown => {
  if (error instanceof errors.JWTExpired) return new Refusal('the token has expired');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new Refusal(`the claim ${error.claim} is missing or another`);
  if (error instanceof errors.JOSEAlgNotAllowed) return new Refusal('the algorithm is not one that is taken');
  return error instanceof errors.JOSEError ? new Refusal('the token can not be read') : error;
};

const isOfKeySet = async (url: string, isSignedWith: IsSignedWith, ports: FeaturePorts): Promise<boolean> => {
  const sets = keySets(ports);
  const known = await sets.find(url);
  if (await isSignedWith(known)) return true;
  const latest = await sets.renew(url);
  return latest !== known && isSignedWith(latest);
};

/** @throws Error for a key in PEM: a public one is no secret */
const toSharedKey = (secret: string, encoding: SignatureRule['secretEncoding']): Uint8Array => {
  if (secret.includes('-----BEGIN')) throw new Error('the credential has a key in PEM, not a shared secret');
  return decodeSecret(secret, encoding);
};
