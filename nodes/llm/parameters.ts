import {
  isPlainObject,
  type JsonObject,
  type JsonValue,
  type ParameterProblem,
  Type,
  type ValueOf,
} from '@hookloom/plugin-kit';

export const parameters = Type.Object({
  provider: Type.Enum(['openai', 'anthropic', 'bedrock'], {
    description:
      'openai: OpenAI and what is compatible with its chat completions; anthropic: the Messages API; bedrock: Converse of Amazon Bedrock, with the permission bedrock:InvokeModel',
  }),
  model: Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: "The provider's name for it; for bedrock a model id, or the ARN of an inference profile",
  }),
  prompt: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2_000_000, description: 'The question: the message of the user' }),
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
        description: 'A conversation in place of the prompt; the last message comes from the user',
      },
    ),
  ),
  system: Type.String({
    default: '',
    maxLength: 2_000_000,
    description: 'Instructions that stand before the conversation',
  }),
  schema: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      format: 'json-schema',
      description:
        'JSON Schema of the answer, with "type": "object". The model is asked for JSON in the way of its provider, and the answer is checked here; the limits are those of the node type validate',
    }),
  ),
  repairs: Type.Integer({
    default: 1,
    minimum: 0,
    maximum: 3,
    description:
      'How often the model is shown what does not match the schema, and asked again; then the node fails',
  }),
  strict: Type.Boolean({
    default: false,
    description:
      'openai: let the provider enforce the schema, which must then name each property as required and allow no others',
  }),
  files: Type.Array(Type.Unknown(), {
    default: [],
    maxItems: 20,
    description:
      'Files that the question is about: PNG, JPEG, GIF, WebP and PDF, of 10 MiB together, where the model takes them',
  }),
  maxTokens: Type.Integer({
    default: 4_096,
    minimum: 1,
    maximum: 1_000_000,
    description:
      'Most tokens of the answer, with those that a model thinks in where the provider counts them',
  }),
  temperature: Type.Optional(
    Type.Number({ minimum: 0, maximum: 2, description: 'Randomness; the default of the model if absent' }),
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
      pattern: '^[a-z0-9-]{1,32}$',
      description: 'bedrock: the region, by default the region of the service',
    }),
  ),
  options: Type.Object(
    {},
    {
      default: {},
      description:
        'Other fields of the request as the provider has them, such as { "reasoning_effort": "low" }; they replace those made here, and null leaves one out',
    },
  ),
});

export type LlmParameters = ValueOf<typeof parameters>;

/**
 * Finds what the schema of the parameters can't say.
 *
 * @param parameters - stored ones, where a text may be an expression, or those of a run
 */
export const findProblems = (parameters: JsonObject): readonly ParameterProblem[] => {
  const { prompt, messages, schema } = parameters;
  const problems: ParameterProblem[] = [];
  if (prompt === undefined && messages === undefined)
    problems.push({ path: '/prompt', message: 'is missing: give either prompt or messages' });
  if (prompt !== undefined && messages !== undefined)
    problems.push({ path: '/messages', message: 'must be absent beside prompt' });
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (isPlainObject(last) && last.role === 'assistant')
    problems.push({ path: '/messages', message: 'must end with a message of the user' });
  if (isPlainObject(schema) && schema.type !== 'object')
    problems.push({
      path: '/schema',
      message: 'must have "type": "object", as the providers want it: put a list or a text into a property',
    });
  return problems;
};

const http = ['httpBearer', 'httpHeader', 'oauth2'];
const aws = ['awsRole'];

/** The types of credential that a provider takes; those of all for one that is not known. */
export const credentialTypesOf = (provider: JsonValue | undefined): readonly string[] => {
  if (provider === 'bedrock') return aws;
  return provider === 'openai' || provider === 'anthropic' ? http : [...http, ...aws];
};
