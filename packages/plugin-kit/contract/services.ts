import type { Socket } from 'node:net';
import type { Files } from './files.ts';
import type { JsonValue } from './json.ts';
import type { State } from './state.ts';

/** Time for nodes and the engine; a port, so that tests never wait. */
export interface Clock {
  /** Returns the current time in milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds. @throws the signal's reason if it is aborted before that */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Source of identifiers; a port, so that tests can predict them. */
export interface Ids {
  /** A new unique identifier of `A-Z a-z 0-9 - _`, at most 64 characters. */
  next(): string;
}

/** A certificate that identifies the client of a TLS connection, with its private key, both in PEM. */
export interface ClientCertificate {
  /** Followed by the certificates of intermediate authorities, if any. */
  readonly certificate: string;
  readonly key: string;
  /** The passphrase of an encrypted key. */
  readonly passphrase?: string;
}

/** A credential lent for one attempt. Its fields are not enumerable, and its JSON has no secrets. */
export interface LentCredential {
  readonly id: string;
  readonly type: string;
  /**
   * Returns the field of this name; empty if it is not set.
   * @throws Error if the type has no such field
   */
  field(name: string): string;
  /**
   * Checks that a credential may be sent to a URL, for a node that does not send the credential through `services`,
   * which do this check themselves.
   * @throws NodeError `CredentialNotForHost` if the credential is not for the URL's host
   */
  checkHost(url: string): void;
  /**
   * Reads the credential again, for a node whose server has refused it: the secret may have been rotated.
   * `services.http` does this by itself.
   * @returns null if it has not changed
   * @throws Error `CredentialMissing`, `CredentialUnusable` or `CredentialUnavailable`
   */
  refresh(): Promise<LentCredential | null>;
}

/** One outbound HTTP request. All limits are required, so that no caller can forget them. */
export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is read once, so it can't be sent again on a redirect. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
  /** Size of a streamed body; if absent, it is sent in chunks. */
  readonly bodyBytes?: number;
  /** If set, the response has a `stream` instead of its `body`. */
  readonly streamsBody?: true;
  /** Time limit for the whole exchange, up to the last byte of the response. */
  readonly timeoutMs: number;
  readonly maxRedirects: number;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
  /** The credential that the client adds to the request: the `context.credential` of the attempt. */
  readonly credential?: LentCredential;
  /**
   * The execution that makes the request: its id, and the headers of the request that started it, if there is one. Set by
   * the engine, which overrides what a node sets.
   */
  readonly startedBy?: JsonValue;
  /** If set, the body is only for the URL's origin: a redirect that would send it to another origin is refused. */
  readonly keepsBodyAtOrigin?: true;
  /** The client certificate, which is presented only to the URL's origin, and only with https. */
  readonly tls?: ClientCertificate;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_RESPONSE_BYTES = 1_000_000;

/**
 * A request as a node writes it. Only `url` is required. By default it is a `GET` without headers or body, follows no
 * redirects, accepts a response of up to 1,000,000 bytes and ends with the attempt.
 */
type RequestOptions = Pick<OutboundRequest, 'url'> & Partial<OutboundRequest>;

/** @throws TypeError if the request has no `url`, since plugins may be written in JavaScript */
export const completeRequest = ({
  url,
  method = 'GET',
  headers = {},
  body = null,
  timeoutMs = DEFAULT_TIMEOUT_MS,
  maxRedirects = 0,
  maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES,
  signal = new AbortController().signal,
  ...others
}: RequestOptions): OutboundRequest => {
  if (url === undefined) throw new TypeError('services.http.request: the request has no url');
  return { url, method, headers, body, timeoutMs, maxRedirects, maxResponseBytes, signal, ...others };
};

export interface OutboundResponse {
  readonly status: number;
  /** Headers of the response, with lower-case names; repeated headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the response; empty for a streamed one. */
  readonly body: Uint8Array;
  /**
   * The body of a streamed response, to be read once; null for any other. Reading throws AppError `OUTBOUND_*`, also when
   * it exceeds the limit on bytes or time.
   */
  readonly stream: AsyncIterable<Uint8Array> | null;
  /** The URL that answered, after redirects. */
  readonly url: string;
}

/**
 * Outbound HTTP that refuses private, loopback, link-local and metadata addresses after DNS resolution and on
 * every redirect.
 */
export interface HttpClient {
  /**
   * @throws AppError `OUTBOUND_*` if the request is refused or fails, or a limit is exceeded
   * @throws TypeError for a request without `url`
   */
  request(request: RequestOptions): Promise<OutboundResponse>;
}

/** Where an outbound connection goes. All limits are required, so that no caller can forget them. */
export interface TcpTarget {
  readonly host: string;
  readonly port: number;
  /** Time limit for establishing the connection. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Outbound connections for protocols other than HTTP, to the same addresses that `HttpClient` allows. */
export interface TcpClient {
  /**
   * Opens a connection, which its caller closes. The time limit and the signal do not apply to what follows, and TLS is
   * up to the caller.
   * @throws AppError `OUTBOUND_REFUSED` | `OUTBOUND_FAILED` | `OUTBOUND_TIMEOUT`, or the reason of the aborted signal
   */
  connect(target: TcpTarget): Promise<Socket>;
}

/** A call of an AWS service, named and shaped as in the AWS SDK for JavaScript. */
export interface AwsCall {
  /** The SDK's client package without its prefix: `dynamodb`, `s3`, `sesv2`, `bedrock-runtime`, `rds-data`. */
  readonly service: string;
  /** The operation, such as `PutItem`, or as Step Functions spells it, `putItem`. */
  readonly operation: string;
  /** The SDK's input. Where the operation takes bytes, they are a Uint8Array, a string or a Node stream. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The region of the service itself by default. */
  readonly region?: string | undefined;
}

/** One attempt at a call. All limits are required, so that no caller can forget them. */
export interface AwsOperation extends AwsCall {
  /** Time limit for the whole exchange, up to the last byte of a stream in the output. */
  readonly timeoutMs: number;
  /** Maximum size of the output, not counting a stream in it. */
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  /**
   * A credential of the type `awsRole`, whose role makes the call. By default the service's role for workflows makes
   * it.
   */
  readonly credential?: LentCredential | undefined;
}

/** Calls AWS with the SDK that is part of Lambda's runtime. */
export interface AwsClient {
  /**
   * Makes one attempt: retries are the node's `settings.retry`.
   * @returns the SDK's output without `$metadata`. It may contain dates, bytes and streams, so it is not JSON
   * @throws NodeError with the name of AWS's error, `isRetryable`, and `status`, `requestId` and `code` in its details.
   * If a permission is missing, it includes the IAM statement to add
   */
  send(operation: AwsOperation): Promise<Readonly<Record<string, unknown>>>;
}

/** Structured log, bound to its source. Never pass it secrets, headers or bodies. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** The services for nodes. They are ports, so that a node can be tested without a network or a clock. */
export interface Services {
  readonly http: HttpClient;
  readonly tcp: TcpClient;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Files;
  readonly aws: AwsClient;
  readonly state: State;
}
