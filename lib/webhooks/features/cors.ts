import type { Answer } from '../../shared/answer.ts';
import { featureError } from '../../shared/feature-errors.ts';
import { readPreflight } from '../matching/preflight.ts';
import type { WebhookFeature } from '../webhook-feature.ts';
import { toOriginTest } from './sender/match-origin.ts';

/** The shape that the rule's schema defines. */
interface CorsRule {
  readonly origins: readonly string[];
  readonly headers?: readonly string[];
  readonly exposeHeaders?: readonly string[];
  readonly credentials?: boolean;
  readonly maxAgeSeconds?: number;
}

/** Headers that webhooks themselves read. */
const DEFAULT_HEADERS = ['authorization', 'content-type', 'idempotency-key', 'prefer', 'x-api-key'];

/**
 * Cross-origin resource sharing: which origins' scripts may call the webhook and read its responses. Preflights are
 * answered here, with the trigger's methods. https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export const cors: WebhookFeature = (value) => {
  const rule = value as unknown as CorsRule;
  const isAnyOrigin = rule.origins.includes('*');
  const isAllowed = toOriginTest(rule.origins);

  /** Null if the request is from a script that may not read the response, or from no script. */
  const allowOrigin = (origin: string | undefined): string | null => {
    if (isAnyOrigin) return '*';
    return origin !== undefined && isAllowed(origin) ? origin : null;
  };

  return {
    admit: ({ request, webhook, addHeaders }) => {
      const origin = allowOrigin(request.headers.origin);
      if (!isAnyOrigin) addHeaders({ vary: 'Origin' }); // also without an Origin, so that caches keep the variants apart
      const isPreflight = readPreflight(request) !== null;
      if (origin !== null) addHeaders(isPreflight ? grant(rule, origin) : share(rule, origin));
      const isOfHandshake = request.method === webhook.config.handshakeMethod;
      if (!isPreflight && webhook.refusal !== undefined && !isOfHandshake) throw webhook.refusal;
      if (!isPreflight) return null;
      if (origin === null) throw featureError('ORIGIN_NOT_ALLOWED', {});
      const { config, workflow } = webhook;
      const own = workflow.pathConfigs.filter(({ triggerNodeId }) => triggerNodeId === config.triggerNodeId);
      const methods = own.map(({ method }) => method).join(', ');
      return answerPreflight({ 'access-control-allow-methods': methods, ...describePreflight(rule) });
    },
  };
};

/** Headers of both preflight and actual responses. */
const grant = ({ credentials = false }: CorsRule, origin: string): Answer['headers'] => ({
  'access-control-allow-origin': origin,
  ...(credentials ? { 'access-control-allow-credentials': 'true' } : {}),
});

const share = (rule: CorsRule, origin: string): Answer['headers'] => {
  const { exposeHeaders = [] } = rule;
  return {
    ...grant(rule, origin),
    ...(exposeHeaders.length > 0 ? { 'access-control-expose-headers': exposeHeaders.join(', ') } : {}),
  };
};

const describePreflight = ({ headers = DEFAULT_HEADERS, maxAgeSeconds }: CorsRule): Answer['headers'] => {
  // `*` does not cover Authorization: https://fetch.spec.whatwg.org/#cors-non-wildcard-request-header-name
  const allowed = headers.includes('*') ? ['*', 'authorization'] : headers;
  return {
    ...(allowed.length > 0 ? { 'access-control-allow-headers': allowed.join(', ') } : {}),
    ...(maxAgeSeconds === undefined ? {} : { 'access-control-max-age': String(maxAgeSeconds) }),
  };
};

const answerPreflight = (headers: Answer['headers']): Answer => ({ status: 204, headers, body: null });
