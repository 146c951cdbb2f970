import {
  type ApiFailure,
  callJsonApi,
  closed,
  defineAction,
  definePlugin,
  isJsonMap,
  type JsonAnswer,
  type JsonObject,
  type JsonValue,
  Type,
} from '@hookloom/plugin-kit';
import { requestCredentialTypes } from '../credential-types/request-types.ts';

export const graphql = defineAction({
  id: 'graphql',
  name: 'GraphQL',
  description:
    'Sends a query or a mutation to a GraphQL API. Outputs { data, errors }, and extensions if the answer has them',
  literalParameters: ['query'],
  outputs: {
    main: closed({
      data: Type.Unknown(),
      errors: Type.Array(Type.Object({})),
      extensions: Type.Optional(Type.Unknown()),
    }),
  },
  parameters: Type.Object({
    url: Type.String({ pattern: '^https?://', maxLength: 8_000, description: 'URL of the API' }),
    query: Type.String({
      minLength: 1,
      maxLength: 100_000,
      description: 'The document. Its braces belong to GraphQL, not to expressions: data goes into variables',
    }),
    variables: Type.Record(Type.String(), Type.Unknown(), {
      default: {},
      description: "Values of the document's variables, by name without the dollar sign",
    }),
    operationName: Type.Optional(
      Type.String({
        holes: 'fail',
        pattern: '^[_A-Za-z][_0-9A-Za-z]{0,199}$',
        description: 'The operation to run, if the document has several',
      }),
    ),
    headers: Type.Record(Type.String(), Type.String(), {
      holes: 'fail',
      default: {},
      description: 'Names and values; for secrets, use a credential',
    }),
    failOnErrors: Type.Boolean({
      default: true,
      description:
        'Fail the node if the answer has errors, even if it also has data; otherwise output them with the data',
    }),
    retryCodes: Type.Array(Type.String(), {
      default: ['RATE_LIMITED', 'THROTTLED', 'SERVICE_UNAVAILABLE', 'INTERNAL_SERVER_ERROR'],
      maxItems: 50,
      description:
        'Error codes (extensions.code or type) that are retried, within settings.retry, if all of the errors have one of them',
    }),
    maxResponseBytes: Type.Integer({
      default: 1_048_576,
      minimum: 1,
      maximum: 6_291_456,
      description: 'A larger answer fails the node; at most 6 MiB',
    }),
  }),
  credentials: { types: requestCredentialTypes },
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
    const { url, query, variables, operationName, headers, maxResponseBytes } = parameters;
    const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const { body } = await callJsonApi(
      {
        method: 'POST',
        url,
        headers: { accept: ACCEPT, ...Object.fromEntries(named) },
        body: { query, variables, ...(operationName === undefined ? {} : { operationName }) },
        maxResponseBytes,
        findFailure: (answer) => findFailure(answer, parameters),
      },
      context,
    );
    const { data = null, extensions } = isJsonMap(body) ? body : {};
    return { data, errors: errorsOf(body), ...(extensions === undefined ? {} : { extensions }) };
  },
});

export default definePlugin({
  id: 'graphql',
  name: 'GraphQL',
  version: '1.0.0',
  description: 'Calls GraphQL APIs',
  category: 'http',
  handles: [graphql],
});

/**
 * Accepts both media types of the "GraphQL over HTTP" specification; with the first one, failures have an error status.
 */
const ACCEPT = 'application/graphql-response+json, application/json;q=0.9';

const findFailure = (
  { status, body }: JsonAnswer,
  { failOnErrors, retryCodes }: { readonly failOnErrors: boolean; readonly retryCodes: readonly string[] },
): ApiFailure | null => {
  const errors = errorsOf(body);
  const isSuccess = status >= 200 && status <= 299;
  if (errors.length === 0) return isSuccess && !hasData(body) ? notGraphql : null;
  if (isSuccess && !failOnErrors) return null;
  const [first = {}] = errors;
  const code = codeOf(first);
  const message = typeof first.message === 'string' ? first.message : 'an error without a message';
  const others = errors.length === 1 ? '' : ` (and ${errors.length - 1} more)`;
  const passes = errors.every((error) => retryCodes.includes(codeOf(error) ?? ''));
  return {
    problem: `${message.slice(0, 250)}${others}`,
    ...(code === null ? {} : { code }),
    ...(passes ? { isRetryable: true } : {}),
    details: { errors: errors.slice(0, 10).map(describeError) },
  };
};

const notGraphql: ApiFailure = {
  problem: 'its answer has neither data nor errors: check that the URL belongs to a GraphQL API',
  isRetryable: false,
};

const hasData = (body: JsonValue): boolean => isJsonMap(body) && Object.hasOwn(body, 'data');

/** The errors of a response that have the shape of the specification (§7.1.2). */
const errorsOf = (body: JsonValue): readonly JsonObject[] => {
  const errors = isJsonMap(body) && Array.isArray(body.errors) ? body.errors : [];
  return errors.filter((error: JsonValue): error is JsonObject => isJsonMap(error));
};

/** Returns the code of an error, by convention in `extensions`; GitHub has a `type` next to the message. */
const codeOf = ({ extensions, type }: JsonObject): string | null => {
  const code = isJsonMap(extensions) ? (extensions.code ?? type) : type;
  return typeof code === 'string' ? code.slice(0, 100) : null;
};

/** Limited in size; the full error is in the response body, which may be truncated. */
const describeError = (error: JsonObject): JsonObject => {
  const { message, path } = error;
  const code = codeOf(error);
  return {
    message: typeof message === 'string' ? message.slice(0, 500) : null,
    ...(Array.isArray(path) ? { path: path.slice(0, 20).join('/').slice(0, 200) } : {}),
    ...(code === null ? {} : { code }),
  };
};
