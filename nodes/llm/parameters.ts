import {
  isPlainObject,
  type JsonObject,
  type JsonValue,
  type ParameterProblem,
  Type,
  type ValueOf,
} from '@hookloom/plugin-kit';

const price = (kind: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000, description: `Tokens ${kind}` }));

export const parameters = Type.Object({
  provider: Type.Enum(['openai', 'anthropic', 'bedrock'], {
    description:
      "openai: OpenAI's chat completions and compatible APIs; anthropic: the Messages API; bedrock: Amazon Bedrock's Converse, which needs the permission bedrock:InvokeModel",
  }),
  model: Type.String({
    holes: 'fail',
    minLength: 1,
    maxLength: 2_048,
    description:
      "The provider's name for the model; for bedrock a model id, or the ARN of an inference profile",
  }),
  prompt: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2_000_000, description: "The question, as the user's message" }),
  ),
  messages: Type.Optional(
    Type.Array(
      Type.Object(
        {
          role: Type.Enum(['user', 'assistant'], { description: 'The author' }),
          content: Type.String({ minLength: 1, maxLength: 2_000_000, description: 'The text' }),
        },
        { additionalProperties: false },
      ),
      {
        minItems: 1,
        maxItems: 1_000,
        description: "A conversation instead of the prompt; the last message must be the user's",
      },
    ),
  ),
  system: Type.String({
    default: '',
    maxLength: 2_000_000,
    description: 'Instructions that precede the conversation',
  }),
  schema: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      format: 'json-schema',
      description:
        'JSON Schema of the answer, with "type": "object". The model is asked for JSON in its provider\'s way, and the answer is checked here, with the limits of the node type validate',
    }),
  ),
  repairs: Type.Integer({
    default: 1,
    minimum: 0,
    maximum: 3,
    description:
      'How often the model is shown what does not match the schema and asked again before the node fails',
  }),
  strict: Type.Boolean({
    default: false,
    description:
      'openai: let the provider enforce the schema, which must then require every property and allow no others',
  }),
  files: Type.Array(Type.Unknown(), {
    default: [],
    maxItems: 20,
    description:
      'Files that the question is about: PNG, JPEG, GIF, WebP and PDF, up to 10 MiB together, if the model accepts them',
  }),
  maxTokens: Type.Integer({
    default: 4_096,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Maximum tokens of the answer, including reasoning tokens if the provider counts them',
  }),
  temperature: Type.Optional(
    Type.Number({ minimum: 0, maximum: 2, description: "Randomness; by default the model's own" }),
  ),
  stop: Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
    default: [],
    maxItems: 16,
    description: 'Texts at which the answer ends',
  }),
  baseUrl: Type.Optional(
    Type.String({
      pattern: '^https?://',
      maxLength: 2_048,
      description:
        'Another server with the same API: for openai https://api.openai.com/v1 by default, for anthropic https://api.anthropic.com',
    }),
  ),
  region: Type.Optional(
    Type.String({
      holes: 'fail',
      pattern: '^[a-z0-9-]{1,32}$',
      description: 'bedrock: the region, by default the region of the service',
    }),
  ),
  tokenPrices: Type.Optional(
    Type.Object(
      {
        inputTokens: price('of the question'),
        outputTokens: price('of the answer'),
        cacheReadTokens: price('read from a cache; openai counts them among inputTokens, too'),
        cacheWriteTokens: price('written to a cache'),
        reasoningTokens: price('of reasoning; openai counts them among outputTokens, too'),
      },
      {
        additionalProperties: false,
        description:
          'What the provider charges, in US dollars for a million tokens of each kind: adds the price to the cost of the execution',
      },
    ),
  ),
  options: Type.Object(
    {},
    {
      default: {},
      description:
        'Other fields of the provider\'s request, such as { "reasoning_effort": "low" }; they replace those made here, and null removes one',
    },
  ),
});

export type LlmParameters = ValueOf<typeof parameters>;

/**
 * Finds what the schema of the parameters can't say.
 * @param parameters - stored ones, in which a string may be an expression, or those of a run
 */
export const findProblems = (parameters: JsonObject): readonly ParameterProblem[] => {
  const { prompt, messages, schema } = parameters;
  const problems: ParameterProblem[] = [];
  if (prompt === undefined && messages === undefined)
    problems.push({ path: '/prompt', message: 'is missing: give either prompt or messages' });
  if (prompt !== undefined && messages !== undefined)
    problems.push({ path: '/messages', message: 'must be absent if there is a prompt' });
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (isPlainObject(last) && last.role === 'assistant')
    problems.push({ path: '/messages', message: 'must end with a user message' });
  if (isPlainObject(schema) && schema.type !== 'object')
    problems.push({
      path: '/schema',
      message: 'must have "type": "object", as providers require: put a list or a string into a property',
    });
  return problems;
};

const http = ['httpBearer', 'httpHeader', 'oauth2'];
const aws = ['awsRole'];

/** The types of credential that a provider takes; for an unknown provider, those of all providers. */
export const credentialTypesOf = (provider: JsonValue | undefined): readonly string[] => {
  if (provider === 'bedrock') return aws;
  return provider === 'openai' || provider === 'anthropic' ? http : [...http, ...aws];
};
