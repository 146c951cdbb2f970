import type { WebhookRequest } from '../../webhook-request.ts';

/**
 * The URL that the sender has requested, with its query as sent.
 *
 * @param base - without a query, for an address behind a domain of one's own; undefined: the gateway's own
 */
export const toPublicUrl = (
  { headers, requestPath, rawQueryString }: WebhookRequest,
  base: string | undefined,
): string =>
  `${base ?? `https://${headers.host ?? ''}${requestPath}`}${rawQueryString === '' ? '' : `?${rawQueryString}`}`;
