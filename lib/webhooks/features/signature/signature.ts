import { type AppError, isAppError } from '../../../shared/errors.ts';
import { featureError } from '../../../shared/feature-errors.ts';
import { isRefusal, Refusal } from '../../../shared/refusal.ts';
import type { SignatureRule } from '../../../workflows/webhook-rules/signature/schema.ts';
import type { FeaturePorts, WebhookFeature } from '../../webhook-feature.ts';
import type { WebhookRequest } from '../../webhook-request.ts';
import { senderSecrets } from '../sender/sender-secrets.ts';
import { github } from './github.ts';
import { hmac } from './hmac.ts';
import type { Scheme } from './scheme.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';
import { standardWebhooks } from './standard-webhooks.ts';
import { stripe } from './stripe.ts';
import { twilio } from './twilio.ts';

const schemes: Readonly<Record<Exclude<SignatureRule['scheme'], 'jwt'>, Scheme>> = {
  standardWebhooks,
  github,
  stripe,
  slack,
  shopify,
  twilio,
  hmac,
};

/** @throws Refusal, and AppError for what is not the sender's fault */
type Verify = (request: WebhookRequest) => Promise<void>;

/** Refuses requests that their sender has not signed. */
export const signature: WebhookFeature = (value, ports) => {
  const rule = value as SignatureRule;
  const isJwt = rule.scheme === 'jwt';
  const verify = isJwt ? verifyJwt(rule, ports) : verifyWith(schemes[rule.scheme], rule, ports);
  const challenge = isJwt ? 'Bearer realm="hookloom"' : `Signature realm="hookloom", scheme="${rule.scheme}"`;
  return {
    secretHeaders: isJwt ? ['authorization'] : [],
    verify: async ({ request }) => {
      try {
        await verify(request);
      } catch (error) {
        throw toAppError(error, challenge);
      }
      return null;
    },
  };
};

const verifyWith = (scheme: Scheme, rule: SignatureRule, ports: FeaturePorts): Verify => {
  const read = scheme(rule);
  return async (request) => {
    const isSignedWith = read(request, ports.clock.now());
    if (!(await senderSecrets(ports).some(rule.credentialId ?? '', isSignedWith)))
      throw new Refusal('the signature is of another secret or another content');
  };
};

/** Its package is loaded for the first token. */
const verifyJwt = (rule: SignatureRule, ports: FeaturePorts): Verify => {
  let opened: Promise<Verify> | undefined;
  return async (request) => {
    opened ??= import('./jwt.ts').then(({ openJwt }) => openJwt(rule, ports));
    return (await opened)(request);
  };
};

/** A secret that nothing can be signed with is a fault of the webhook's own. */
const toAppError = (error: unknown, challenge: string): AppError => {
  if (isAppError(error)) return error;
  return isRefusal(error)
    ? featureError('SIGNATURE_INVALID', { challenge }, new Refusal(`signature: ${error.message}`))
    : featureError('WEBHOOK_MISCONFIGURED', {}, error);
};
