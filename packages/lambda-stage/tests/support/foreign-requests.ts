/** A request to a server on this machine, by its headers. */
export interface Sent {
  readonly case: string;
  /** Names and values in turn. */
  readonly headers: (port: string) => string[];
  /** Of the answer. */
  readonly status: number;
}

const sent = (name: string, status: number, headers: Sent['headers']): Sent => ({
  case: name,
  status,
  headers,
});

/** Requests of programs on this machine, and of pages that the service itself has served. */
export const ownRequests: readonly Sent[] = [
  sent('localhost', 200, (port) => ['host', `localhost:${port}`]),
  sent('LOCALHOST', 200, (port) => ['host', `LOCALHOST:${port}`]),
  sent('127.0.0.1', 200, (port) => ['host', `127.0.0.1:${port}`]),
  sent('[::1]', 200, (port) => ['host', `[::1]:${port}`]),
  sent('its own origin', 200, (port) => [
    'host',
    `localhost:${port}`,
    'origin',
    `http://localhost:${port}`,
    'sec-fetch-site',
    'same-origin',
  ]),
  sent('an address that somebody has typed into a browser', 200, (port) => [
    'host',
    `localhost:${port}`,
    'sec-fetch-site',
    'none',
  ]),
];

/** Requests that a web page of anybody can make a browser send. */
export const foreignRequests: readonly Sent[] = [
  sent('a name that was pointed at this machine (DNS rebinding)', 421, (port) => [
    'host',
    `evil.example:${port}`,
  ]),
  sent('such a name as its own origin', 421, (port) => [
    'host',
    `evil.example:${port}`,
    'origin',
    `http://evil.example:${port}`,
  ]),
  sent('a name that begins like its own', 421, (port) => ['host', `localhost.evil.example:${port}`]),
  sent('a name that ends like its own', 421, (port) => ['host', `evil.localhost:${port}`]),
  sent('its own name with another port', 421, () => ['host', 'localhost:1']),
  sent('its own name without a port', 421, () => ['host', 'localhost']),
  sent('an address that stands for all', 421, (port) => ['host', `0.0.0.0:${port}`]),
  sent('an empty host', 421, () => ['host', '']),
  sent('two hosts', 421, (port) => ['host', `localhost:${port}`, 'host', `evil.example:${port}`]),
  sent('the origin of another site', 403, (port) => [
    'host',
    `localhost:${port}`,
    'origin',
    'https://evil.example',
  ]),
  sent('another port of this machine as its origin', 403, (port) => [
    'host',
    `localhost:${port}`,
    'origin',
    'http://localhost:1',
  ]),
  sent('its own name by https as its origin', 403, (port) => [
    'host',
    `localhost:${port}`,
    'origin',
    `https://localhost:${port}`,
  ]),
  sent('another of its names as its origin', 403, (port) => [
    'host',
    `localhost:${port}`,
    'origin',
    `http://127.0.0.1:${port}`,
  ]),
  sent('no origin that a server could know', 403, (port) => ['host', `localhost:${port}`, 'origin', 'null']),
  sent('an empty origin', 403, (port) => ['host', `localhost:${port}`, 'origin', '']),
  sent('two origins', 403, (port) => [
    'host',
    `localhost:${port}`,
    'origin',
    `http://localhost:${port}`,
    'origin',
    'https://evil.example',
  ]),
  ...['cross-site', 'same-site', 'unheard-of'].map((site) =>
    sent(`a page of another origin, which sends none (${site})`, 403, (port) => [
      'host',
      `localhost:${port}`,
      'sec-fetch-site',
      site,
    ]),
  ),
];
