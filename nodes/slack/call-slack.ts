import {
  type ApiFailure,
  callJsonApi,
  isJsonMap,
  type JsonAnswer,
  type JsonObject,
  joinUrl,
  type NodeContext,
  readRetryAfter,
} from '@hookloom/plugin-kit';

interface SlackCall {
  readonly baseUrl: string;
  /** Of the Web API, such as `chat.postMessage`. */
  readonly method: string;
  /** Of a method that takes no JSON; a GET without a body. */
  readonly query?: JsonObject;
  readonly body?: JsonObject;
  /** Error codes that are answers. */
  readonly expected?: readonly string[];
}

/** Codes of failures that pass; others come again. */
const PASSING: ReadonlySet<string> = new Set([
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
]);

/**
 * Calls a method of Slack's Web API, which answers 200 for failures too.
 *
 * @returns the body, with `ok: true`, or `ok: false` and one of the expected codes as `error`
 * @throws NodeError with `details.code`, such as `channel_not_found`
 */
export const callSlack = async (
  { baseUrl, method, query = {}, body, expected = [] }: SlackCall,
  context: NodeContext,
): Promise<JsonObject> => {
  const answer = await callJsonApi(
    {
      ...(body === undefined ? { method: 'GET' } : { method: 'POST', body }),
      url: joinUrl(baseUrl, `/${method}`),
      query,
      // Without a charset, Slack answers with a warning.
      headers: body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' },
      findFailure: (answer, now) => findSlackFailure(answer, expected, now),
    },
    context,
  );
  return isJsonMap(answer.body) ? answer.body : {};
};

const findSlackFailure = (
  { status, headers, body }: JsonAnswer,
  expected: readonly string[],
  now: number,
): ApiFailure | null => {
  if (!isJsonMap(body))
    return status === 200
      ? { problem: 'its answer is no JSON object: check that baseUrl is that of the Web API' }
      : null;
  const { ok, error } = body;
  if (ok === true) return null;
  const code = typeof error === 'string' ? error : 'unknown_error';
  if (expected.includes(code)) return null;
  const retryAfterMs = readRetryAfter(429, headers, now);
  return {
    code,
    problem: describe(code, body),
    ...(PASSING.has(code)
      ? { isRetryable: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
      : {}),
  };
};

/** The code, with the scope that the token lacks, and the first of the messages about invalid arguments. */
const describe = (code: string, { needed, response_metadata }: JsonObject): string => {
  const messages = isJsonMap(response_metadata) ? response_metadata.messages : [];
  const [message] = Array.isArray(messages) ? messages : [];
  const scope = typeof needed === 'string' ? `, the token needs the scope ${needed}` : '';
  return `${code}${scope}${typeof message === 'string' ? `: ${message}` : ''}`.slice(0, 300);
};
