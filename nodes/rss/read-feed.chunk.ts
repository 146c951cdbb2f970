import { decodeXml } from '@hookloom/bounded-xml';
import {
  fromAttempt,
  isPassing,
  type JsonObject,
  type NodeContext,
  type OutboundResponse,
  toStatusError,
  toTraceHeaders,
  wrongParameter,
} from '@hookloom/plugin-kit';
import { parseFeed } from './parse-feed.ts';
import { parseFeedDate } from './parse-feed-date.ts';

interface FeedRequest {
  readonly url?: string;
  readonly text?: string;
  readonly etag: string;
  readonly lastModified: string;
  readonly sinceDate: string;
  readonly maxItems: number;
  readonly maxResponseBytes: number;
}

const ACCEPT = 'application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1';

const NOT_MODIFIED = {
  notModified: true,
  format: null,
  title: null,
  link: null,
  description: null,
  language: null,
  updated: null,
  items: [],
  hasMore: false,
};

/**
 * Reads a feed from a URL or a string. If a conditional request (RFC 9110 §13.1) is answered with 304, there are no
 * items.
 * @returns the feed with `{ notModified, etag, lastModified, url }`
 * @throws NodeError if the status is a failure, or the content is not a feed
 */
export const readFeed = async (given: FeedRequest, context: NodeContext): Promise<JsonObject> => {
  const { url, text, sinceDate, maxItems } = given;
  const since = toTime(sinceDate);
  if (text !== undefined) {
    if (url !== undefined) throw wrongParameter('text', 'absent when url is given', text);
    const feed = parseFeed(text, { baseUrl: null, since, maxItems });
    return { notModified: false, ...feed, etag: '', lastModified: '', url: null };
  }
  if (url === undefined) throw wrongParameter('url', 'a URL, unless text is given', url);
  const response = await requestFeed(url, given, context);
  const { status, headers, body } = response;
  const validators = { etag: headers.etag ?? '', lastModified: headers['last-modified'] ?? '' };
  if (status === 304) {
    const { etag, lastModified } = given;
    return {
      ...NOT_MODIFIED,
      etag: validators.etag || etag,
      lastModified: validators.lastModified || lastModified,
      url: response.url,
    };
  }
  if (status < 200 || status > 299)
    throw toStatusError(response, { isRetryable: isPassing(status), now: context.services.clock.now() });
  const document = decodeXml(body, headers['content-type'] ?? '');
  const feed = parseFeed(document, { baseUrl: response.url, since, maxItems });
  return { notModified: false, ...feed, ...validators, url: response.url };
};

const requestFeed = (
  url: string,
  { etag, lastModified, maxResponseBytes }: FeedRequest,
  context: NodeContext,
): Promise<OutboundResponse> =>
  context.services.http.request({
    method: 'GET',
    url,
    headers: {
      accept: ACCEPT,
      ...(etag === '' ? {} : { 'if-none-match': etag }),
      ...(lastModified === '' ? {} : { 'if-modified-since': lastModified }),
      ...toTraceHeaders(context),
    },
    body: null,
    ...fromAttempt(context),
    maxRedirects: 5,
    maxResponseBytes,
  });

const toTime = (sinceDate: string): number | null => {
  if (sinceDate === '') return null;
  const date = parseFeedDate(sinceDate);
  if (date === null) throw wrongParameter('sinceDate', 'a date such as 2026-01-05T10:00:00Z', sinceDate);
  return Date.parse(date);
};
