import { type JsonObject, type JsonValue, Type } from '@hookloom/plugin-kit';
import { isCredentialHeader } from '../../shared/secrets/secret-names.ts';
import type { Problem } from '../definition/problem.ts';
import { MAX_PER_SECOND, type RateLimitRule } from './limits/rate-limit-rule.ts';
import { defineRule } from './webhook-rule.ts';

/** How often the webhook, or each of its callers, is let in. */
export const rateLimit = defineRule(
  Type.Object(
    {
      requests: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Requests in that time' }),
      seconds: Type.Integer({ minimum: 1, maximum: 86_400, description: 'The time' }),
      per: Type.Enum(['path', 'caller'], { description: 'What the limit is for' }),
      by: Type.Optional(
        Type.String({
          pattern: "^(ip|credential|header:[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100})$",
          description:
            'How callers are told apart: ip (the default; IPv6 by /64), credential, or header:NAME',
        }),
      ),
      burst: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          description: 'Requests at once after a pause; as many as `requests` by default',
        }),
      ),
      onStoreFailure: Type.Optional(
        Type.Enum(['open', 'closed'], {
          description: 'Whether requests are let in while the store fails; closed by default',
        }),
      ),
    },
    {
      description:
        'A rate above which requests get 429 with Retry-After: a token bucket, exact over all processes',
      examples: [
        { requests: 100, seconds: 60, per: 'path' },
        { requests: 10, seconds: 1, per: 'caller', by: 'header:x-tenant', burst: 50, onStoreFailure: 'open' },
      ],
    },
  ),
  { findProblems: (value, { parameters }) => findProblems(value as unknown as RateLimitRule, parameters) },
);

const findProblems = (
  { requests, seconds, per, by }: RateLimitRule,
  { authentication = 'none' }: Readonly<Record<string, JsonValue>> & JsonObject,
): Problem[] => [
  ...(requests / seconds > MAX_PER_SECOND
    ? [
        {
          path: '/requests',
          message: `is more than ${MAX_PER_SECOND} in a second, which is what the store takes`,
        },
      ]
    : []),
  ...(by !== undefined && per !== 'caller'
    ? [{ path: '/by', message: 'has no effect: set per to caller' }]
    : []),
  ...(by === 'credential' && authentication === 'none'
    ? [{ path: '/by', message: 'needs an authentication: apiKey or basic' }]
    : []),
  ...(by?.startsWith('header:') && isCredentialHeader(by.slice('header:'.length))
    ? [{ path: '/by', message: 'names a header that holds a credential: use credential, or another header' }]
    : []),
];
