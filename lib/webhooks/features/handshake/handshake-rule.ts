import { Type } from '@hookloom/plugin-kit';
import type { FromSchema } from '@hookloom/plugin-kit/host';

/** The parameter `handshake`. */
export const handshakeSchema = Type.Object(
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
          'For custom: the method of the handshake, if it is not the method of the trigger; it opens that method for the handshake only',
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

export type HandshakeRule = FromSchema<typeof handshakeSchema>;
