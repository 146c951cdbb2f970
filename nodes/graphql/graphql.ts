import { defineAction, Type } from '@hookloom/plugin-kit';

export const graphql = defineAction({
  id: 'graphql',
  name: 'GraphQL',
  description:
    'Sends a query or a mutation to a GraphQL API. Puts out { data, errors }, and extensions where the answer has them',
  literalParameters: ['query'],
  parameters: Type.Object({
    url: Type.String({ pattern: '^https?://', maxLength: 8_000, description: 'URL of the API' }),
    query: Type.String({
      minLength: 1,
      maxLength: 100_000,
      description: 'The document. Its braces are its own, not those of expressions: data goes into variables',
    }),
    variables: Type.Record(Type.String(), Type.Unknown(), {
      default: {},
      description: 'Values of the variables of the document, by name without the dollar sign',
    }),
    operationName: Type.Optional(
      Type.String({
        pattern: '^[_A-Za-z][_0-9A-Za-z]{0,199}$',
        description: 'Which operation of a document with several',
      }),
    ),
    headers: Type.Record(Type.String(), Type.String(), {
      default: {},
      description: 'Names and values; for secrets, use a credential',
    }),
    failOnErrors: Type.Boolean({
      default: true,
      description:
        'Fail the node when the answer has errors, also beside data; otherwise they are put out with the data that there is',
    }),
    retryCodes: Type.Array(Type.String(), {
      default: ['RATE_LIMITED', 'THROTTLED', 'SERVICE_UNAVAILABLE', 'INTERNAL_SERVER_ERROR'],
      maxItems: 50,
      description:
        'Codes of errors (extensions.code, or type) after which another attempt is made, within settings.retry, when all of the errors have one',
    }),
    maxResponseBytes: Type.Integer({
      default: 1_048_576,
      minimum: 1,
      maximum: 6_291_456,
      description: 'A larger answer fails the node; at most 6 MiB',
    }),
  }),
  credentials: {
    types: ['httpBearer', 'httpBasic', 'httpHeader', 'httpQuery', 'oauth2', 'awsRole', 'tlsClient'],
  },
  example: {
    parameters: {
      url: 'https://shop.example.com/graphql',
      query: 'query ($number: ID!) { order(number: $number) { total lines { name } } }',
      variables: { number: '{{ number }}' },
    },
    input: { number: 'A-1' },
    output: { data: { order: { total: 5, lines: [{ name: 'tea' }] } }, errors: [] },
  },
  execute: async ({ parameters, context }) => {
    const { callGraphql } = await import('./call-graphql.chunk.ts');
    return callGraphql(parameters, context);
  },
});
