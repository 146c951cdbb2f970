import type { WebhookRequest } from '../webhook.ts';

/**
 * The method that a CORS preflight requests; null for any other request.
 * https://fetch.spec.whatwg.org/#cors-preflight-request
 */
export const readPreflight = ({
  method,
  headers,
}: Pick<WebhookRequest, 'method' | 'headers'>): string | null =>
  method === 'OPTIONS' && headers.origin !== undefined
    ? (headers['access-control-request-method'] ?? null)
    : null;
