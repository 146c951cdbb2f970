import { lazy } from '@hookloom/plugin-kit';
import { WEBHOOK_MISCONFIGURED } from '../../../shared/error-catalogue.ts';
import { AppError, isAppError, isRefusal, Refusal } from '../../../shared/errors.ts';
import type { WebhookRequest } from '../../webhook.ts';
import type { FeaturePorts, Stages } from '../../webhook-feature.ts';
import { senderSecrets } from '../sender/sender-secrets.ts';
import { readSignatures, refuseSignature } from './is-signed.ts';
import { createReadContent } from './read-request.ts';
import { type SchemeRow, type SignatureRule, toSchemeRow } from './schemes.ts';
import { readTwilioContents } from './twilio.ts';

/** @throws Refusal, and AppError for what is not the sender's fault */
type Verify = (request: WebhookRequest) => Promise<void>;

export const verifySender = (rule: SignatureRule, ports: FeaturePorts): Stages => {
  const row = toSchemeRow(rule);
  const verify = openScheme(row, rule, ports);
  return {
    secretHeaders: secretHeadersOf(row, rule),
    verify: async ({ request }) => {
      try {
        await verify(request);
      } catch (error) {
        throw toAppError(error, row);
      }
      return null;
    },
  };
};

const openScheme = (row: SchemeRow, rule: SignatureRule, ports: FeaturePorts): Verify => {
  if (rule.scheme === 'jwt') return lazily(async () => (await import('./jwt.ts')).openJwt(rule, ports));
  if (rule.scheme === 'plaid') return lazily(async () => (await import('./jwt.ts')).openPlaid(rule, ports));
  if (row.certificate !== undefined)
    return lazily(async () => (await import('./certified.ts')).openCertified(row, rule, ports));
  const readContent = createReadContent(row, rule);
  const readContents =
    rule.scheme === 'twilio'
      ? (request: WebhookRequest) => readTwilioContents(request, rule)
      : (request: WebhookRequest, now: number) => [readContent(request, now)];
  return async (request) => {
    const contents = readContents(request, ports.clock.now());
    const signedWith = contents.map((content) => readSignatures(row.ways ?? [], content));
    const isSigned = (secret: string) => signedWith.some((isSignedWith) => isSignedWith(secret));
    if (!(await senderSecrets(ports).some(rule.credentialId ?? '', isSigned)))
      throw new Refusal('mismatch: wrong secret, or the request was modified');
  };
};

const lazily = (open: () => Promise<Verify>): Verify => {
  const opened = lazy(open);
  return async (request) => (await opened())(request);
};

/** Headers that contain the secret itself or a token. */
const secretHeadersOf = (
  { ways = [], signature }: SchemeRow,
  { scheme }: SignatureRule,
): readonly string[] => {
  if (scheme === 'jwt') return ['authorization'];
  return ways.some(({ algorithm }) => algorithm === 'equal') ? (signature?.headers ?? []) : [];
};

/** A secret that can't be used to sign means that the webhook is misconfigured. */
const toAppError = (error: unknown, { wants401 }: SchemeRow): AppError => {
  if (isAppError(error)) return error;
  return isRefusal(error)
    ? refuseSignature(error.message, wants401 ? 'Signature realm="hookloom"' : undefined)
    : new AppError(WEBHOOK_MISCONFIGURED, {}, error);
};
