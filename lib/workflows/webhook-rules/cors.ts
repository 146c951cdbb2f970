import { Type } from '@hookloom/plugin-kit';
import { quote } from '../../shared/describe.ts';
import type { Problem } from '../definition/problem.ts';
import { defineRule } from './webhook-rule.ts';

/** A token of RFC 9110 §5.6.2, or `*` for any. */
const headerNames = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$" }), {
      maxItems: 50,
      description,
    }),
  );

/** Scripts of which pages may call a webhook, and read its answers. */
export const cors = defineRule(
  Type.Object(
    {
      origins: Type.Array(Type.String({ maxLength: 300 }), {
        minItems: 1,
        maxItems: 100,
        description: 'Such as https://shop.example, https://*.shop.example for subdomains, or * for any',
      }),
      headers: headerNames('Headers that a script may send; absent: those that webhooks read'),
      exposeHeaders: headerNames('Headers of the answer that a script may read'),
      credentials: Type.Optional(
        Type.Boolean({ description: 'Let scripts send cookies and the credentials that the browser keeps' }),
      ),
      maxAgeSeconds: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 86_400, description: 'How long browsers keep a preflight' }),
      ),
    },
    {
      additionalProperties: false,
      description:
        'Scripts of which pages may call the webhook and read its answers; preflights are answered without starting anything',
      examples: [
        {
          origins: ['https://shop.example', 'https://*.shop.example'],
          credentials: true,
          maxAgeSeconds: 600,
        },
        { origins: ['*'], headers: ['content-type'], exposeHeaders: ['hookloom-execution-id'] },
      ],
    },
  ),
  {
    findProblems: (value) => [
      ...checkOrigins(value as unknown as CorsRule),
      ...checkWildcards(value as never),
    ],
  },
);

interface CorsRule {
  readonly origins: readonly string[];
  readonly headers?: readonly string[];
  readonly exposeHeaders?: readonly string[];
  readonly credentials?: boolean;
}

const checkOrigins = ({ origins }: CorsRule): Problem[] =>
  origins.flatMap((origin, index) => {
    const message = origin === '*' ? null : findOriginProblem(origin);
    return message === null ? [] : [{ path: `/origins/${index}`, message }];
  });

/** With credentials, browsers take `*` for a name. https://fetch.spec.whatwg.org/#cors-protocol-and-credentials */
const checkWildcards = ({ credentials = false, ...lists }: CorsRule): Problem[] => {
  if (!credentials) return [];
  const message = 'can not stand beside "credentials", where browsers take it for a name: list each';
  const keys = ['origins', 'headers', 'exposeHeaders'] as const;
  return keys.flatMap((key) => {
    const index = lists[key]?.indexOf('*') ?? -1;
    return index < 0 ? [] : [{ path: `/${key}/${index}`, message }];
  });
};

const findOriginProblem = (origin: string): string | null => {
  if (origin === 'null') return 'is the origin of any sandboxed page, and of files: it can not be allowed';
  const isWildcard = /^[a-z][a-z0-9+.-]*:\/\/\*\./.test(origin);
  const written = isWildcard ? origin.replace('*.', 'any.') : origin;
  const url = URL.canParse(written) ? new URL(written) : null;
  if (url === null || url.host === '' || written.includes('*'))
    return 'is no origin: write scheme, host and port, as https://shop.example, https://*.shop.example or http://localhost:5173';
  const sent = `${url.protocol}//${url.host}`;
  if (sent !== written)
    return `is not as browsers send it: write ${quote(isWildcard ? sent.replace('any.', '*.') : sent)}`;
  const domain = url.hostname.replace('any.', '');
  const isTopLevel = isWildcard && !domain.includes('.') && domain !== 'localhost';
  return isTopLevel ? 'would allow all sites of a top-level domain' : null;
};
