interface ReceivedRequest {
  /** Names and values in turn, in the form of `node:http`. */
  readonly rawHeaders: readonly string[];
  /** Of the server. */
  readonly port: number;
}

/** Problem details (RFC 9457). */
interface ForeignRequest {
  readonly type: string;
  readonly title: string;
  readonly status: 403 | 421;
  readonly detail: string;
}

const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** What browsers send for a page of the same origin, and for an address that was typed. */
const OWN_SITES = ['same-origin', 'none'];

/**
 * Why a server of this machine refuses a request that a web page of another origin has made a browser send; null for any other
 * request. The `Host` has to be the server's own, or a name that was pointed at this machine would make a page the server's own
 * (DNS rebinding). Programs send no `Origin`, and no `Sec-Fetch-Site`: https://www.w3.org/TR/fetch-metadata/
 */
export const findForeignRequest = ({ rawHeaders, port }: ReceivedRequest): ForeignRequest | null => {
  const [host = '', ...furtherHosts] = valuesOf('host', rawHeaders);
  const own = OWN_NAMES.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  if (furtherHosts.length > 0 || !own.includes(host))
    return {
      type: 'urn:hookloom:problem:local-host-refused',
      title: 'Host refused',
      status: 421,
      detail: `The header Host does not name this server: send the request to http://localhost:${port}, or to 127.0.0.1 or [::1] with this port. Under any other name, a web page could reach it.`,
    };
  const isOwn =
    valuesOf('origin', rawHeaders).every((origin) => origin === `http://${host}`) &&
    valuesOf('sec-fetch-site', rawHeaders).every((site) => OWN_SITES.includes(site));
  if (isOwn) return null;
  return {
    type: 'urn:hookloom:problem:local-origin-refused',
    title: 'Origin refused',
    status: 403,
    detail: `The headers Origin and Sec-Fetch-Site say that a page of another origin has sent the request. http://localhost:${port} takes requests of programs, of its own pages, and of who types its address.`,
  };
};

const valuesOf = (name: string, rawHeaders: readonly string[]): readonly string[] =>
  rawHeaders
    .filter((_text, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
    .map((value) => value.toLowerCase());
