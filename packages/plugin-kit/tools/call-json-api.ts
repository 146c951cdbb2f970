import { NodeError } from '../contract/errors.ts';
import type { JsonObject, JsonValue } from '../contract/json.ts';
import type { NodeContext } from '../contract/node.ts';
import type { OutboundResponse } from '../contract/services.ts';
import { type FetchedPages, fetchPages, type PageRules } from './fetch-pages.ts';
import { parsePointer } from './json-pointer.ts';
import { readBody, readErrorBody } from './read-body.ts';
import { addQuery, fromAttempt, toTraceHeaders } from './request-parts.ts';
import { describeResponse, findProblem, isPassing, toStatusError } from './status-error.ts';

const MAX_RESPONSE_BYTES = 1_048_576;

/** How many redirects a reading request follows. Others follow none, since a redirect may turn them into a GET. */
const MAX_REDIRECTS = 5;

export interface JsonAnswer {
  readonly status: number;
  /** Headers of the response, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the response; null if it is empty. For a failure, the text if the body is not JSON. */
  readonly body: JsonValue;
}

/** What a response says about a failure beyond its status. */
export interface ApiFailure {
  /** The error code of the service. */
  readonly code?: string;
  /** One line for the message; by default taken from the body. */
  readonly problem?: string;
  /** Whether another attempt may help; by default true for 408, 425, 429 and 5xx. */
  readonly isRetryable?: boolean;
  /** Minimum delay before the next attempt; by default from `Retry-After` of a 429 or 503. */
  readonly retryAfterMs?: number;
  /** Fields added to the error's details, before the response; limited in size. */
  readonly details?: JsonObject;
}

/** A map, without the fields that are undefined. */
type Fields = Readonly<Record<string, JsonValue | undefined>>;

export interface JsonApiCall {
  readonly method: string;
  readonly url: string;
  /** Headers of the request, with lower-case names. For secrets, use the node's credential. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Query parameters added to the URL: a list repeats the name, null and undefined add nothing. */
  readonly query?: Fields;
  /** Body of the request, sent as JSON; without it, nothing is sent. */
  readonly body?: JsonValue | Fields;
  /** Maximum size of the response; 1 MiB by default. */
  readonly maxResponseBytes?: number;
  /** Statuses that are not failures; 200 to 299 by default. */
  readonly isSuccess?: (status: number) => boolean;
  /**
   * Reads service-specific failures, including those with a success status.
   *
   * @param now - milliseconds since the epoch
   * @returns null if the status alone is sufficient
   */
  readonly findFailure?: (answer: JsonAnswer, now: number) => ApiFailure | null;
}

/**
 * Sends a request to a JSON API with the credential, the trace and the remaining time of the node's attempt.
 *
 * @throws NodeError for a failure, with the details of `httpRequest`: `{ status, code?, body, headers }`; and for a
 * response that is not JSON
 * @throws AppError `OUTBOUND_*` if there is no response within the limits
 */
export const callJsonApi = async (call: JsonApiCall, context: NodeContext): Promise<JsonAnswer> =>
  (await exchangeJson(call, context)).answer;

const exchangeJson = async (
  call: JsonApiCall,
  context: NodeContext,
): Promise<{ readonly response: OutboundResponse; readonly answer: JsonAnswer }> => {
  const { isSuccess = isSuccessful, findFailure = () => null } = call;
  const response = await sendApiCall(call, context);
  const { status, headers } = response;
  const isFailure = !isSuccess(status);
  const answer = { status, headers, body: isFailure ? readErrorBody(response).body : readJson(response) };
  const now = context.services.clock.now();
  const failure = findFailure(answer, now);
  if (!isFailure && failure === null) return { response, answer };
  throw toStatusError(response, {
    isRetryable: isPassing(status),
    problem: findProblem(answer.body),
    ...failure,
    now,
  });
};

/** A list of a JSON API over several pages, with the names and defaults of `httpRequest`. */
export interface JsonPagesCall
  extends Omit<JsonApiCall, 'method' | 'body'>,
    Partial<Omit<PageRules, 'pagination'>>,
    Pick<PageRules, 'pagination'> {
  /** JSON pointer to the URL or cursor of the next page in the body; by default the header `Link`, or the next number. */
  readonly next?: string;
}

/**
 * Fetches a list page by page, all in one attempt: at most 100 pages, 10,000 items and 32 MiB, unless the call says otherwise. A
 * next page on another origin is not fetched, since the credential is not for it.
 *
 * @throws as {@link callJsonApi}; NodeError if a page has no list
 */
export const callJsonPages = async (call: JsonPagesCall, context: NodeContext): Promise<FetchedPages> => {
  const { items = '', pageParameter = '', firstPage = 1, pageStep = 1, next = '' } = call;
  const { maxPages = 100, maxItems = 10_000, pagination, query = {} } = call;
  const bodies = new WeakMap<OutboundResponse, JsonValue>();
  const readNext = next === '' ? null : parsePointer(next);
  const host = URL.parse(call.url)?.host;
  return fetchPages(
    addQuery(call.url, query),
    { items, pageParameter, firstPage, pageStep, maxPages, maxItems, pagination },
    {
      send: async (url) => {
        const { response, answer } = await exchangeJson({ ...call, method: 'GET', url, query: {} }, context);
        bodies.set(response, answer.body);
        return response;
      },
      readBody: (response) => bodies.get(response) ?? null,
      readNext: readNext === null ? null : ({ body = null }) => readNext(body),
      wrong: (rule, expected) =>
        new NodeError(`${host} answered without what "${rule}" says: ${expected}`, {
          name: 'UnexpectedAnswer',
          isRetryable: false,
        }),
    },
  );
};

const sendApiCall = (
  { method, url, headers = {}, query = {}, body, maxResponseBytes = MAX_RESPONSE_BYTES }: JsonApiCall,
  context: NodeContext,
): Promise<OutboundResponse> =>
  context.services.http.request({
    method,
    url: addQuery(url, query),
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...toTraceHeaders(context),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
    ...fromAttempt(context),
    maxRedirects: method === 'GET' ? MAX_REDIRECTS : 0,
    maxResponseBytes,
  });

const readJson = (response: OutboundResponse): JsonValue => {
  try {
    return readBody(response, 'json');
  } catch {
    const { status, url } = response;
    throw new NodeError(
      `${new URL(url).host} answered ${status} with something that is not JSON: check that the URL belongs to the API`,
      { name: 'NotJson', isRetryable: false, details: describeResponse(response) },
    );
  }
};

const isSuccessful = (status: number): boolean => status >= 200 && status <= 299;
