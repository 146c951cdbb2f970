import type { OutboundRequest } from '@hookloom/plugin-kit';

/** Headers that describe the request, not its sender. */
const HARMLESS = new Set([
  'accept',
  'content-type',
  'date',
  'host',
  'user-agent',
  'x-amz-content-sha256',
  'x-amz-date',
]);

/** `Bearer TOKEN` */
const SCHEME = /^[\w-]+ +(\S+)$/;

/**
 * Values of headers and query parameters that a credential type added to a request; they may be derived from the
 * secret, such as an access token. Signatures are not secrets: they are valid only for their request.
 */
export const findDerivedSecrets = (before: OutboundRequest, after: OutboundRequest): string[] => {
  const headers = Object.entries(after.headers)
    .filter(([name, value]) => before.headers[name] !== value && !HARMLESS.has(name.toLowerCase()))
    .map(([, value]) => value)
    .filter((value) => !value.includes('Signature='));
  const parts = headers.flatMap((value) => SCHEME.exec(value)?.[1] ?? []);
  return [...headers, ...parts, ...findNewParameters(before.url, after.url)];
};

const findNewParameters = (before: string, after: string): string[] => {
  if (before === after) return [];
  const known = new Set(URL.parse(before)?.searchParams.values());
  return [...(URL.parse(after)?.searchParams.values() ?? [])].filter((value) => !known.has(value));
};
