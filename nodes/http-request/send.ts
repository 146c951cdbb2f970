import {
  fromAttempt,
  type JsonObject,
  type NodeContext,
  type OutboundResponse,
  readErrorStart,
  toStatusError,
  toTraceHeaders,
  wrongParameter,
} from '@hookloom/plugin-kit';
import { toRequestBody } from './request-body.ts';
import type { Parameters } from './rules.ts';
import { parseStatusSet } from './status-set.ts';

/**
 * Sends the node's request to a URL.
 *
 * @param page - counted from 1; null without pagination
 * @throws NodeError when the status is a failure, or AppError `OUTBOUND_*`
 */
type Send = (url: string, page: number | null) => Promise<OutboundResponse>;

/** @throws TypeError that names a wrong parameter, before anything is sent */
export const createSend = (given: Parameters, context: NodeContext): Send => {
  const { services, idempotencyKey } = context;
  const isSuccess = parseStatusSet('successStatus', given.successStatus);
  const isRetryable = parseStatusSet('retryStatus', given.retryStatus);
  const { method, maxRedirects, failOnStatus } = given;
  const receiving =
    given.responseType === 'file'
      ? ({ maxResponseBytes: given.maxFileBytes, streamsBody: true } as const)
      : { maxResponseBytes: given.maxResponseBytes };
  const headers = { ...toTraceHeaders(context), ...readHeaders(given.headers) };
  return async (url, page) => {
    const { contentType, ...body } = toRequestBody(given, services);
    const response = await services.http.request({
      method,
      url,
      headers: {
        ...(contentType === null ? {} : { 'content-type': contentType }),
        ...(given.idempotencyKey ? { 'idempotency-key': toPageKey(idempotencyKey, page) } : {}),
        ...headers,
      },
      ...body,
      ...receiving,
      ...fromAttempt(context),
      maxRedirects,
    });
    const { status } = response;
    if (!failOnStatus || isSuccess(status)) return response;
    const start = response.stream === null ? response.body : await readErrorStart(response.stream);
    throw toStatusError(
      { ...response, body: start },
      { isRetryable: isRetryable(status), now: services.clock.now(), page },
    );
  };
};

/** Each page is a request of its own for its receiver, the same in every attempt. */
const toPageKey = (key: string, page: number | null): string =>
  page === null || page === 1 ? key : `${key}/page-${page}`;

const readHeaders = (headers: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (typeof value !== 'string') throw wrongParameter(`headers.${name}`, 'a string', value);
      return [name.toLowerCase(), value];
    }),
  );
