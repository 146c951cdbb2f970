import {
  type ApiFailure,
  callJsonApi,
  isJsonMap,
  type JsonAnswer,
  type JsonObject,
  type JsonValue,
  type NodeContext,
} from '@hookloom/plugin-kit';

interface GraphqlCall {
  readonly url: string;
  readonly query: string;
  readonly variables: JsonObject;
  readonly operationName?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly failOnErrors: boolean;
  readonly retryCodes: readonly string[];
  readonly maxResponseBytes: number;
}

/** Both media types of the specification "GraphQL over HTTP"; the first has the status of the failure. */
const ACCEPT = 'application/graphql-response+json, application/json;q=0.9';

/**
 * Sends a document by POST.
 *
 * @throws NodeError with `details.errors` for an answer with errors, unless `failOnErrors` is false and the status that
 * of a success
 */
export const callGraphql = async (call: GraphqlCall, context: NodeContext): Promise<JsonObject> => {
  const { url, query, variables, operationName, headers, maxResponseBytes } = call;
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const { body } = await callJsonApi(
    {
      method: 'POST',
      url,
      headers: { accept: ACCEPT, ...Object.fromEntries(named) },
      body: { query, variables, ...(operationName === undefined ? {} : { operationName }) },
      maxResponseBytes,
      findFailure: (answer) => findFailure(answer, call),
    },
    context,
  );
  const { data = null, extensions } = isJsonMap(body) ? body : {};
  return { data, errors: errorsOf(body), ...(extensions === undefined ? {} : { extensions }) };
};

const findFailure = (
  { status, body }: JsonAnswer,
  { failOnErrors, retryCodes }: GraphqlCall,
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
  problem: 'its answer has neither data nor errors: check that the URL is that of a GraphQL API',
  isRetryable: false,
};

const hasData = (body: JsonValue): boolean => isJsonMap(body) && Object.hasOwn(body, 'data');

/** The errors of a response that are of the shape of the specification (§7.1.2). */
const errorsOf = (body: JsonValue): readonly JsonObject[] => {
  const errors = isJsonMap(body) && Array.isArray(body.errors) ? body.errors : [];
  return errors.filter((error: JsonValue): error is JsonObject => isJsonMap(error));
};

/** By convention in `extensions`; GitHub has a `type` beside the message. */
const codeOf = ({ extensions, type }: JsonObject): string | null => {
  const code = isJsonMap(extensions) ? (extensions.code ?? type) : type;
  return typeof code === 'string' ? code.slice(0, 100) : null;
};

/** Bounded: the whole error is in the body of the answer, which may be cut. */
const describeError = (error: JsonObject): JsonObject => {
  const { message, path } = error;
  const code = codeOf(error);
  return {
    message: typeof message === 'string' ? message.slice(0, 500) : null,
    ...(Array.isArray(path) ? { path: path.slice(0, 20).join('/').slice(0, 200) } : {}),
    ...(code === null ? {} : { code }),
  };
};
