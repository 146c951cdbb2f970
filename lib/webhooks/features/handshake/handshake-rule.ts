import { Type } from '@hookloom/plugin-kit';
import type { FromSchema } from '@hookloom/plugin-kit/host';

/** The schemes, each with what it requires and which parameters it allows. */
export const parametersOf = {
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
  custom: ['match', 'method', 'unsigned', 'answer'],
} satisfies Record<string, readonly string[]>;

export const handshakeSchema = Type.Object(
  {
    scheme: Type.Enum(Object.keys(parametersOf) as (keyof typeof parametersOf)[], {
      description: 'How the sender verifies the URL',
    }),
    credentialId: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'A credential of the type signingSecret: for meta with the verify token, for x with the consumer secret, for zoom with the secret token',
      }),
    ),
    origins: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
        minItems: 1,
        maxItems: 100,
        description: 'For cloudEvents: the allowed senders, by their WebHook-Request-Origin; all by default',
      }),
    ),
    method: Type.Optional(
      Type.Enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'], {
        description:
          'For custom: the method of the handshake, if it differs from the method of the trigger; only handshakes may use it',
      }),
    ),
    unsigned: Type.Optional(
      Type.Boolean({
        description:
          'For custom: whether the sender does not sign the handshake. It is then answered before authentication and signature, with a fixed answer',
      }),
    ),
    match: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        format: 'jsonata',
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
              description: 'By default text/plain for a string, application/json for anything else',
            }),
          ),
          body: Type.Optional(
            Type.Unknown({
              description:
                'A string, or anything else as JSON, with expressions over the request in {{ }}; empty by default. In JSON, values keep their types; in a string that is JSON, they are escaped',
            }),
          ),
        },
        { additionalProperties: false, description: 'For custom: the response' },
      ),
    ),
  },
  {
    description: "Answer the sender's verification of the URL, without starting a run",
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

export type HandshakeRule = FromSchema<typeof handshakeSchema>;
