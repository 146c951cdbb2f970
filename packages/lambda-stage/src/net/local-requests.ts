import type { IncomingMessage } from 'node:http';

// What servers on this machine have in common.

export interface LocalRequest {
  /** Alternating names and values, as in `node:http`. */
  readonly rawHeaders: readonly string[];
  readonly port: number;
}

/** What the types of problems begin with, unless a service has types of its own. */
const TYPES = 'urn:lambda-stage:problem:';

const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** What browsers send for a page of the same origin or a typed address. */
const OWN_SITES = ['same-origin', 'none'];

/**
 * Why a server on this machine refuses a request to a host name that is not its own; null for any other request. Otherwise a
 * host name pointed at this machine would make a page same-origin (DNS rebinding).
 */
export const findForeignHost = ({ rawHeaders, port }: LocalRequest, types = TYPES) => {
  const [host = '', ...furtherHosts] = valuesOf('host', rawHeaders);
  const own = OWN_NAMES.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  if (furtherHosts.length === 0 && own.includes(host)) return null;
  return {
    type: `${types}local-host-refused`,
    title: 'Host refused',
    status: 421,
    detail: `The Host header does not name this server: send the request to http://localhost:${port}, 127.0.0.1 or [::1] with this port. Under any other name, a web page could reach it.`,
  };
};

/**
 * Why a server on this machine refuses a request that a web page of a different origin made a browser send; null for any
 * other request. The `Host` must be the server's own, see {@link findForeignHost}. Programs send no `Origin` and no `Sec-Fetch-Site`: https://www.w3.org/TR/fetch-metadata/
 */
export const findForeignRequest = ({ rawHeaders, port }: LocalRequest, types = TYPES) => {
  const foreignHost = findForeignHost({ rawHeaders, port }, types);
  if (foreignHost !== null) return foreignHost;
  const [host = ''] = valuesOf('host', rawHeaders);
  const isOwn =
    valuesOf('origin', rawHeaders).every((origin) => origin === `http://${host}`) &&
    valuesOf('sec-fetch-site', rawHeaders).every((site) => OWN_SITES.includes(site));
  if (isOwn) return null;
  return {
    type: `${types}local-origin-refused`,
    title: 'Origin refused',
    status: 403,
    detail: `According to the headers Origin and Sec-Fetch-Site, a page of a different origin sent this request. http://localhost:${port} accepts requests from programs, its own pages and typed addresses.`,
  };
};

const valuesOf = (name: string, rawHeaders: readonly string[]): readonly string[] =>
  rawHeaders
    .filter((_text, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
    .map((value) => value.toLowerCase());

/**
 * Reads a body; null when it is too large. The rest is read and dropped; otherwise the caller would not see the
 * response.
 */
export const readBody = async (incoming: IncomingMessage, maxBytes: number): Promise<Buffer | null> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) {
    incoming.resume();
    return null;
  }
  for await (const chunk of incoming) {
    bytes += (chunk as Buffer).length;
    if (bytes <= maxBytes) chunks.push(chunk as Buffer);
    else chunks.length = 0;
  }
  return bytes > maxBytes ? null : Buffer.concat(chunks);
};
