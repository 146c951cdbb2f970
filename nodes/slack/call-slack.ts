import {
  type ApiFailure,
  callJsonApi,
  defineApp,
  type FindOptions,
  isJsonMap,
  type JsonAnswer,
  type JsonApiCall,
  type JsonObject,
  type JsonValue,
  joinUrl,
  type NodeContext,
  readRetryAfter,
  Type,
} from '@hookloom/plugin-kit';

interface SlackCall {
  /** A method of the Web API, such as `chat.postMessage`. */
  readonly method: string;
  /** Query of a method that takes no JSON, sent as a GET without a body. */
  readonly query?: JsonApiCall['query'];
  readonly body?: JsonApiCall['body'];
  /** Error codes that count as answers. */
  readonly expected?: readonly string[];
}

/** Codes of temporary failures; another attempt does not help against others. */
const PASSING: ReadonlySet<string> = new Set([
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
]);

/**
 * Calls a method of Slack's Web API, which answers with 200 even for failures.
 * @returns the body, with `ok: true`, or `ok: false` and one of the expected codes as `error`
 * @throws NodeError with `details.code`, such as `channel_not_found`
 */
export const callSlack = async (
  { method, query = {}, body, expected = [] }: SlackCall,
  { baseUrl }: { readonly baseUrl: string },
  context: NodeContext,
): Promise<JsonObject> => {
  const answer = await callJsonApi(
    {
      ...(body === undefined ? { method: 'GET' } : { method: 'POST', body }),
      url: joinUrl(baseUrl, `/${method}`),
      query,
      // Without a charset, Slack's answer contains a warning.
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
      ? { problem: 'its answer is not a JSON object: check that baseUrl is the URL of the Web API' }
      : null;
  const { ok, error } = body;
  if (ok === true) return null;
  const code = typeof error === 'string' ? error : 'unknown_error';
  if (expected.includes(code)) return null;
  const retryAfterMs = readRetryAfter(429, headers, now);
  return {
    code,
    problem: describeSlackError(code, body),
    ...(PASSING.has(code)
      ? { isRetryable: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
      : {}),
  };
};

/** The code, the scope that the token lacks, and the first message about invalid arguments. */
const describeSlackError = (code: string, { needed, response_metadata }: JsonObject): string => {
  const messages = isJsonMap(response_metadata) ? response_metadata.messages : [];
  const [message] = Array.isArray(messages) ? messages : [];
  const scope = typeof needed === 'string' ? `, the token needs the scope ${needed}` : '';
  return `${code}${scope}${typeof message === 'string' ? `: ${message}` : ''}`.slice(0, 300);
};

// Parameters that several node types have.

const baseUrl = Type.String({
  default: 'https://slack.com/api',
  pattern: '^https?://',
  description: "URL of Slack's Web API, or of a gateway in front of it",
});

export const channel = Type.String({
  holes: 'fail',
  minLength: 1,
  maxLength: 100,
  description: "Id of the channel, such as C0123456789; with a user's id, a direct message",
});

export const text = Type.String({
  minLength: 1,
  maxLength: 40_000,
  description: "The message in Slack's markup (mrkdwn); if there are blocks, the text of notifications",
});

export const escapeText = Type.Boolean({
  default: false,
  description:
    "Show &, < and > in the text literally, so that data in it can't be a mention (<!channel>) or a link; blocks are sent unchanged",
});

export const blocks = Type.Array(Type.Record(Type.String(), Type.Unknown()), {
  default: [],
  maxItems: 50,
  description: 'Block Kit blocks, which are shown instead of the text',
});

export const ts = (description: string) =>
  Type.String({ holes: 'fail', pattern: '^[0-9]{1,12}\\.[0-9]{1,9}$', description });

/** The channels that the token may see, a page of them. */
const findChannels: FindOptions = async ({ parameters, context, page }) => {
  const { channels, response_metadata } = await callSlack(
    {
      method: 'conversations.list',
      query: {
        types: 'public_channel,private_channel',
        exclude_archived: 'true',
        ...{ limit: 500, cursor: page },
      },
    },
    { baseUrl: typeof parameters.baseUrl === 'string' ? parameters.baseUrl : 'https://slack.com/api' },
    context,
  );
  const found = Array.isArray(channels) ? channels.filter(isJsonMap) : [];
  const next = isJsonMap(response_metadata) ? response_metadata.next_cursor : null;
  return {
    options: found.map(({ id, name }) => ({ value: String(id), label: `#${name}` })),
    nextPage: typeof next === 'string' && next !== '' ? next : null,
  };
};

/** The operations of Slack's Web API. */
export const slack = defineApp({
  // A bot's or a user's token (xoxb-…, xoxp-…).
  credentials: { types: ['httpBearer'], required: true },
  before: {},
  after: { baseUrl },
  options: { channel: findChannels },
  send: callSlack,
});

interface MessageParameters {
  readonly text: string;
  readonly escapeText: boolean;
  readonly blocks: readonly JsonValue[];
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** The content of a message in Slack's format. */
export const toMessage = ({ text, escapeText, blocks }: MessageParameters): JsonObject => ({
  text: escapeText ? text.replaceAll(/[&<>]/g, (character) => ESCAPED[character] ?? '') : text,
  ...(blocks.length === 0 ? {} : { blocks }),
});
