import type { WebhookRequest } from '../../webhook.ts';

/**
 * The URL that the sender requested, with its query as sent.
 *
 * @param base - the URL without query behind a custom domain; undefined for the gateway's own
 */
export const toPublicUrl = (
  { headers, requestPath, rawQueryString }: WebhookRequest,
  base: string | undefined,
): string =>
  `${base ?? `https://${headers.host ?? ''}${requestPath}`}${rawQueryString === '' ? '' : `?${rawQueryString}`}`;
