import type { FromSchema } from '../../contract/from-schema.ts';
import { Type } from '../../contract/kit/type.ts';
import { quote } from '../../shared/describe.ts';
import type { Problem } from '../definition/problem.ts';
import { checkExpressions } from '../expressions/parameters.ts';
import { SENDER_CREDENTIAL_TYPES } from './signature/sender-credential-types.ts';
import { defineRule } from './webhook-rule.ts';

const declared = Type.Object(
  {
    scheme: Type.Enum(['slack', 'github', 'meta', 'microsoftGraph', 'x', 'custom'], {
      description: 'How the sender tests the address',
    }),
    credentialId: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'For meta: the credential with the verify token; for x: with the consumer secret. Of the type signingSecret',
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
            Type.Enum(['text/plain', 'application/json'], { description: 'text/plain when absent' }),
          ),
          body: Type.Optional(
            Type.String({
              maxLength: 10_000,
              description: 'Text with expressions over the request in {{ }}; empty when absent',
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

const ofCustom = ['method', 'match', 'answer'] as const;

const findProblems = async (rule: HandshakeRule): Promise<Problem[]> => {
  const { scheme, credentialId, match } = rule;
  const problems: Problem[] = [];
  const needsCredential = scheme === 'meta' || scheme === 'x';
  const noEffect = `has no effect with the scheme ${quote(scheme)}`;
  if (needsCredential && credentialId === undefined)
    problems.push({ path: '', message: `the scheme ${quote(scheme)} needs credentialId` });
  if (!needsCredential && credentialId !== undefined)
    problems.push({ path: '/credentialId', message: noEffect });
  if (scheme !== 'custom') {
    for (const name of ofCustom)
      if (rule[name] !== undefined) problems.push({ path: `/${name}`, message: noEffect });
    return problems;
  }
  if (match === undefined) return [...problems, { path: '', message: 'the scheme "custom" needs match' }];
  if (match.includes('{{'))
    return [...problems, { path: '/match', message: 'is an expression as it stands: leave the braces out' }];
  return [
    ...problems,
    ...(await checkExpressions(`{{ ${match} }}`, '/match')),
    ...(await checkExpressions(rule.answer?.body ?? '', '/answer/body')),
  ];
};

/** The handshake of a sender: how it tests that the address is its receiver's. */
export const handshake = defineRule(declared, {
  credentialTypes: SENDER_CREDENTIAL_TYPES,
  expressions: ['/match', '/answer/body'],
  findProblems: (value) => findProblems(value as HandshakeRule),
});
