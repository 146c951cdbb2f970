import { isPlainObject, Type } from '@hookloom/plugin-kit';
import type { FromSchema } from '@hookloom/plugin-kit/host';
import { quote } from '../../shared/describe.ts';
import type { Problem } from '../definition/problem.ts';
import { splitTemplate } from '../expressions/template.ts';
import { createJsonText } from './json-text.ts';
import { SENDER_CREDENTIAL_TYPES } from './signature/sender-credential-types.ts';
import { defineRule, type RuleContext } from './webhook-rule.ts';

const declared = Type.Object(
  {
    scheme: Type.Enum(
      [
        'slack',
        'github',
        'meta',
        'microsoftGraph',
        'x',
        'zoom',
        'asana',
        'discord',
        'twitch',
        'sns',
        'cloudEvents',
        'custom',
      ],
      { description: 'How the sender tests the address' },
    ),
    credentialId: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'For meta: the credential with the verify token; for x: with the consumer secret; for zoom: with the secret token. Of the type signingSecret',
      }),
    ),
    origins: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
        minItems: 1,
        maxItems: 100,
        description:
          'For cloudEvents: the senders that are allowed, by their WebHook-Request-Origin; any when absent',
      }),
    ),
    method: Type.Optional(
      Type.Enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'], {
        description:
          'For custom: the method of the handshake, when it is not that of the trigger; it opens that method for the handshake alone',
      }),
    ),
    match: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description:
          'For custom: an expression over the request, without braces. A request is a handshake when it is true',
      }),
    ),
    answer: Type.Optional(
      Type.Object(
        {
          status: Type.Optional(Type.Integer({ minimum: 200, maximum: 299, description: '200 when absent' })),
          contentType: Type.Optional(
            Type.Enum(['text/plain', 'application/json'], {
              description: 'When absent, text/plain for a text, application/json for anything else',
            }),
          ),
          body: Type.Optional(
            Type.Unknown({
              description:
                'A text, or anything else as JSON, with expressions over the request in {{ }}; empty when absent. In JSON, values keep their types, and in a text that is JSON they are escaped',
            }),
          ),
        },
        { additionalProperties: false, description: 'For custom: the answer' },
      ),
    ),
  },
  {
    description: "Answer the sender's test of the address; it starts no run",
    examples: [
      { scheme: 'slack' },
      { scheme: 'meta', credentialId: 'meta-verify-token' },
      {
        scheme: 'custom',
        match: 'body.type = "verification"',
        answer: { contentType: 'text/plain', body: '{{ body.challenge }}' },
      },
    ],
  },
);

export type HandshakeRule = FromSchema<typeof declared>;

/** What each scheme needs, and what may be written beside it. */
const parametersOf: Readonly<Record<HandshakeRule['scheme'], readonly (keyof HandshakeRule)[]>> = {
  slack: [],
  github: [],
  meta: ['credentialId'],
  microsoftGraph: [],
  x: ['credentialId'],
  zoom: ['credentialId'],
  asana: [],
  discord: [],
  twitch: [],
  sns: [],
  cloudEvents: ['origins'],
  custom: ['match', 'method', 'answer'],
};

/** Senders whose tests prove nothing, or do not end, without their signature. */
const SIGNED: readonly HandshakeRule['scheme'][] = ['discord', 'sns'];

const MAX_BODY_LENGTH = 10_000;

const findProblems = (rule: HandshakeRule, { parameters }: RuleContext): Problem[] => {
  const { scheme, credentialId, match } = rule;
  const takes = parametersOf[scheme];
  const given = Object.keys(rule) as (keyof HandshakeRule)[];
  const { signature = null } = parameters;
  const isSigned = isPlainObject(signature) && signature.scheme === scheme;
  const missing =
    (takes.includes('credentialId') && credentialId === undefined ? 'credentialId' : null) ??
    (takes.includes('match') && match === undefined ? 'match' : null);
  return [
    ...(missing === null ? [] : [{ path: '', message: `the scheme ${quote(scheme)} needs ${missing}` }]),
    ...given
      .filter((name) => name !== 'scheme' && !takes.includes(name))
      .map((name) => ({ path: `/${name}`, message: `has no effect with the scheme ${quote(scheme)}` })),
    ...(SIGNED.includes(scheme) && !isSigned
      ? [{ path: '', message: `the scheme ${quote(scheme)} needs the signature of the same scheme` }]
      : []),
    ...(rule.answer === undefined ? [] : findBodyProblems(rule.answer)),
  ];
};

const findBodyProblems = ({ contentType, body = '' }: NonNullable<HandshakeRule['answer']>): Problem[] => {
  const path = '/answer/body';
  if (JSON.stringify(body).length > MAX_BODY_LENGTH)
    return [{ path, message: `is longer than ${MAX_BODY_LENGTH} characters` }];
  if (typeof body !== 'string' || contentType !== 'application/json') return [];
  return isJson(createJsonText(splitTemplate(body), () => null))
    ? []
    : [{ path, message: 'is not JSON: with expressions in it, write a JSON value instead of a text' }];
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** The handshake of a sender: how it tests that the address is its receiver's. */
export const handshake = defineRule(declared, {
  credentialTypes: SENDER_CREDENTIAL_TYPES,
  expressions: ['/match'],
  templates: ['/answer/body'],
  findProblems: (value, context) => findProblems(value as HandshakeRule, context),
});
