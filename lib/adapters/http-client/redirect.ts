import type { ClientCertificate } from '@hookloom/plugin-kit';
import type { RequestBody } from './request-body.ts';

/** One request in a chain of redirects, with header names in lower case. */
export interface Hop extends RequestBody {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls?: ClientCertificate | undefined;
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The headers that are sent on a redirect to another origin. A list of harmless ones, since any other header may carry
 * a key (`authorization`, `cookie`, `x-api-key`, `private-token`, …).
 */
const harmless: ReadonlySet<string> = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

export const isRedirect = (status: number): boolean => redirectStatuses.has(status);

/**
 * The request after a redirect (RFC 9110 §15.4): a GET after a 303, and after a 301 or 302 of a POST, as in all
 * clients; the same request after a 307 or 308. Null if `location` is not a URL.
 */
export const followRedirect = (hop: Hop, status: number, location: string): Hop | null => {
  const url = URL.parse(location, hop.url.href);
  if (url === null) return null;
  const becomesGet = status === 303 ? hop.method !== 'HEAD' : status <= 302 && hop.method === 'POST';
  const kept = Object.entries(hop.headers).filter(
    ([name]) =>
      (url.origin === hop.url.origin || harmless.has(name)) && !(becomesGet && name.startsWith('content-')),
  );
  return {
    method: becomesGet ? 'GET' : hop.method,
    url,
    headers: Object.fromEntries(kept),
    body: becomesGet ? null : hop.body,
    tls: url.origin === hop.url.origin ? hop.tls : undefined,
  };
};
