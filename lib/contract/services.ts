/** Time, as nodes and the engine see it. A test brings its own and never waits. */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Source of identifiers; a test brings predictable ones. */
export interface Ids {
  /** A new unique identifier of `A-Z a-z 0-9 - _`, at most 64 characters. */
  next(): string;
}

/** One outbound HTTP request. Limits are part of the request, so that no caller can forget them. */
export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  readonly timeoutMs: number;
  readonly maxRedirects: number;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
}

export interface OutboundResponse {
  readonly status: number;
  /** Lower-case names; repeated headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The URL that answered, after redirects. */
  readonly url: string;
}

/**
 * Outbound HTTP that refuses private, loopback, link-local and metadata addresses after DNS resolution and on
 * every redirect. Throws {@link AppError} `OUTBOUND_*` for what it refuses, and for limits that are exceeded.
 */
export interface HttpClient {
  request(request: OutboundRequest): Promise<OutboundResponse>;
}

/** Structured log, already tagged with whose it is. Never give it secrets, headers or bodies. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What the service lends to nodes, by name, so that a node is tested with no network and no clock. */
export interface Services {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly ids: Ids;
}
