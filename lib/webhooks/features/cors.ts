import { Type } from '@hookloom/plugin-kit';
import type { FromSchema } from '@hookloom/plugin-kit/host';
import type { Answer } from '../../shared/answer.ts';
import { quote } from '../../shared/describe.ts';
import { ORIGIN_NOT_ALLOWED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { Problem } from '../../workflows/definition/problem.ts';
import { readPreflight } from '../webhook.ts';
import { defineFeature } from '../webhook-feature.ts';
import { toOriginTest } from './sender/match-origin.ts';

/** A token of RFC 9110 §5.6.2, or `*` for any. */
const headerNames = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$" }), {
      maxItems: 50,
      description,
    }),
  );

/** Names of the headers that webhooks themselves read. */
const DEFAULT_HEADERS = ['authorization', 'content-type', 'idempotency-key', 'prefer', 'x-api-key'];

const schema = Type.Object(
  {
    origins: Type.Array(Type.String({ maxLength: 300 }), {
      minItems: 1,
      maxItems: 100,
      description: 'Such as https://shop.example, https://*.shop.example for subdomains, or * for any',
    }),
    headers: headerNames('Headers that a script may send; by default those that webhooks read'),
    exposeHeaders: headerNames('Response headers that a script may read'),
    credentials: Type.Optional(
      Type.Boolean({ description: 'Let scripts send cookies and credentials stored in the browser' }),
    ),
    maxAgeSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        description: 'How long browsers cache a preflight response',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Pages whose scripts may call the webhook and read its responses. Preflight requests are answered without starting anything',
    examples: [
      {
        origins: ['https://shop.example', 'https://*.shop.example'],
        credentials: true,
        maxAgeSeconds: 600,
      },
      { origins: ['*'], headers: ['content-type'], exposeHeaders: ['hookloom-execution-id'] },
    ],
  },
);

type CorsRule = FromSchema<typeof schema>;

/**
 * Cross-origin resource sharing: which origins' scripts may call the webhook and read its responses. Preflights are
 * answered here, with the trigger's methods. https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export const cors = defineFeature({
  name: 'cors',
  schema,
  check: (rule) => [...checkOrigins(rule), ...checkWildcards(rule)],
  stages: (rule) => {
    const isAnyOrigin = rule.origins.includes('*');
    const isAllowed = toOriginTest(rule.origins);

    /**
     * Returns the origin to allow; null if the request is from a script that may not read the response, or from no
     * script.
     */
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
        else if (!isPreflight) addHeaders(WITHHELD);
        const isOfHandshake = request.method === webhook.config.handshakeMethod;
        if (!isPreflight && webhook.refusal !== undefined && !isOfHandshake) throw webhook.refusal;
        if (!isPreflight) return null;
        if (origin === null) throw new AppError(ORIGIN_NOT_ALLOWED, {});
        const { config, workflow } = webhook;
        const own = workflow.pathConfigs.filter(
          ({ triggerNodeId }) => triggerNodeId === config.triggerNodeId,
        );
        const methods = own.map(({ method }) => method).join(', ');
        return answerPreflight({ 'access-control-allow-methods': methods, ...describePreflight(rule) });
      },
    };
  },
});

const checkOrigins = ({ origins }: CorsRule): Problem[] =>
  origins.flatMap((origin, index) => {
    const message = origin === '*' ? null : findOriginProblem(origin);
    return message === null ? [] : [{ path: `/origins/${index}`, message }];
  });

/**
 * Refuses wildcards in lists with credentials, for which browsers take `*` for a name.
 * https://fetch.spec.whatwg.org/#cors-protocol-and-credentials
 */
const checkWildcards = ({ credentials = false, ...lists }: CorsRule): Problem[] => {
  if (!credentials) return [];
  const message =
    'cannot be combined with "credentials", since browsers then treat it as a literal name: list each header';
  const keys = ['origins', 'headers', 'exposeHeaders'] as const;
  return keys.flatMap((key) => {
    const index = lists[key]?.indexOf('*') ?? -1;
    return index < 0 ? [] : [{ path: `/${key}/${index}`, message }];
  });
};

const findOriginProblem = (origin: string): string | null => {
  if (origin === 'null') return 'is the origin of any sandboxed page, and of files: it cannot be allowed';
  const isWildcard = /^[a-z][a-z0-9+.-]*:\/\/\*\./.test(origin);
  const written = isWildcard ? origin.replace('*.', 'any.') : origin;
  const url = URL.canParse(written) ? new URL(written) : null;
  if (url === null || url.host === '' || written.includes('*'))
    return 'is not an origin: write scheme, host and port, such as https://shop.example, https://*.shop.example or http://localhost:5173';
  const sent = `${url.protocol}//${url.host}`;
  if (sent !== written)
    return `is not written as browsers send it: use ${quote(isWildcard ? sent.replace('any.', '*.') : sent)}`;
  const domain = url.hostname.replace('any.', '');
  const isTopLevel = isWildcard && !domain.includes('.') && domain !== 'localhost';
  return isTopLevel ? 'would allow all sites of a top-level domain' : null;
};

/** Removes what a workflow's own answer grants, since it knows no origins. */
const WITHHELD = { 'access-control-allow-origin': undefined };

/** Returns the headers of both preflight and actual responses. */
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
