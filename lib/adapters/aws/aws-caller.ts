import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { type HttpAnswer, isSuccess, isThrottled, toCause } from './aws-error.ts';

/** A request to one of AWS's HTTP APIs, without host and signature. */
export interface AwsRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** The path with its leading slash, percent-encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** If set, a throttled response is returned at once, since the caller itself waits longer than retries would. */
  readonly answersThrottling?: true;
}

export interface AwsAnswer extends HttpAnswer {
  /**
   * How many requests were sent. If more than one, an earlier one may have taken effect although its answer was lost.
   */
  readonly tries: number;
  readonly throttles: number;
}

export type CallAws = (request: AwsRequest) => Promise<AwsAnswer>;

/** A request that posts a value as JSON. */
export const postJson = (
  path: string,
  value: unknown,
  headers?: Readonly<Record<string, string>>,
): AwsRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

/**
 * Calls AWS for an answer that is a success, or an expected one.
 * @param toError - makes the error of no answer, or of any other one, from its cause
 */
export const askAws = async (
  call: CallAws,
  request: AwsRequest,
  toError: (cause: unknown) => Error,
  isExpected: (answer: AwsAnswer) => boolean = () => false,
): Promise<AwsAnswer> => {
  const answer = await call(request).catch((cause: unknown) => {
    throw toError(cause);
  });
  if (isSuccess(answer) || isExpected(answer)) return answer;
  throw toError(toCause(answer));
};

export interface AwsCallerOptions {
  /** The name used in the endpoint and the signature: `dynamodb`, `lambda`, `events`, `s3`. */
  readonly service: string;
  readonly region: string;
  /** Origin of a service on this machine; null for AWS's own. */
  readonly endpoint: string | null;
  /** Bucket of an S3 request: S3 has one host per bucket. */
  readonly bucket?: string;
  /** Called for each request. By default reads the environment's credentials, which Lambda renews. */
  readonly readCredentials?: () => AwsCredentials | Promise<AwsCredentials>;
  /** By default short for AWS, and long for a service on this machine. */
  readonly timeouts?: Timeouts;
}

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

const TRIES = 3;
const TIMEOUTS: Timeouts = { connectMs: 1_000, exchangeMs: 5_000 };

/** For a service on this machine, which shares its processors with everything else: a busy machine is not an outage. */
export const LOCAL_TIMEOUTS: Timeouts = { connectMs: 60_000, exchangeMs: 60_000 };

/**
 * Calls AWS with signed requests (SigV4), in at most three tries: after a connection error, a timeout, throttling or a
 * server error. An error status is an answer; a call throws when no answer arrives.
 */
export const createAwsCaller = ({
  service,
  region,
  endpoint,
  bucket,
  readCredentials = readEnvironment,
  timeouts = endpoint === null ? TIMEOUTS : LOCAL_TIMEOUTS,
}: AwsCallerOptions): CallAws => {
  const origin = new URL(endpoint ?? awsEndpoint(service, region, bucket));
  const exchange = createConnection(origin, timeouts);
  const sign = createSigner(service, region);
  const { host } = origin;

  return async (request) => {
    const { method, path, headers = {}, body } = request;
    const credentials = await readCredentials();
    let throttles = 0;
    for (let tries = 1; ; tries++) {
      try {
        const signed = sign({ method, host, path, headers, body }, credentials, Date.now());
        const answer = await exchange({ method, path, headers: signed, body });
        const wasThrottled = answer.status >= 400 && isThrottled(answer);
        if (wasThrottled) throttles++;
        const mayPass = wasThrottled ? request.answersThrottling !== true : answer.status >= 500;
        const isOver = tries === TRIES || !mayPass;
        if (isOver) return Object.assign(answer, { tries, throttles });
        await pauseBeforeRetry(wasThrottled ? THROTTLING_DELAY_MS : DELAY_MS, tries);
      } catch (error) {
        if (tries === TRIES) throw error;
        await pauseBeforeRetry(DELAY_MS, tries);
      }
    }
  };
};

/** A call to sign. */
export interface UnsignedCall {
  readonly method: string;
  readonly host: string;
  /** Percent-encoded, with its query, and without segments `.` and `..`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

/**
 * Signs the calls to one service of AWS (SigV4). The key, which is the same for a day, is kept: deriving it for each call, and
 * from bytes, would take most of the time of a signature.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 *
 * @returns a function that returns the headers to send; `now` is in milliseconds since the epoch
 */
export const createSigner = (service: string, region: string) => {
  let kept: { readonly of: string; readonly day: string; readonly key: KeyObject } | null = null;
  const keyOf = (secret: string, day: string): KeyObject => {
    if (kept === null || kept.day !== day || kept.of !== secret)
      kept = { of: secret, day, key: deriveKey(secret, [day, region, service, 'aws4_request']) };
    return kept.key;
  };
  const isS3 = service === 's3';
  return (
    { method, host, path, headers, body = '' }: UnsignedCall,
    { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
    now: number,
  ): Record<string, string> => {
    const time = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '');
    const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
    const bodyHash = hash('sha256', body);
    const sent: Record<string, string> = { ...headers, host, 'x-amz-date': time };
    if (sessionToken !== undefined) sent['x-amz-security-token'] = sessionToken;
    if (isS3) sent['x-amz-content-sha256'] = bodyHash;
    const names = Object.keys(sent).sort();
    const signedHeaders = names.join(';');
    let canonical = `${method}\n${toCanonicalPath(path, isS3)}\n`;
    for (const name of names) canonical += `${name}:${toCanonicalValue(sent[name] ?? '')}\n`;
    canonical += `\n${signedHeaders}\n${bodyHash}`;
    const signature = createHmac('sha256', keyOf(secretAccessKey, time.slice(0, 8)))
      .update(`AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', canonical)}`)
      .digest('hex');
    sent.authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
    return sent;
  };
};

const deriveKey = (secret: string, scope: readonly string[]): KeyObject =>
  createSecretKey(
    scope.reduce(
      (key, part) => createHmac('sha256', key).update(part).digest(),
      Buffer.from(`AWS4${secret}`),
    ),
  );

/** Without the spaces that a proxy may drop. */
const toCanonicalValue = (value: string): string =>
  /\s/.test(value) ? value.trim().replace(/\s+/g, ' ') : value;

/** The lines of path and query. All services but S3 encode the path a second time. */
const toCanonicalPath = (path: string, isS3: boolean): string => {
  if (path === '/') return '/\n';
  const [segments = '', query = ''] = path.split('?', 2);
  const parts = (isS3 ? decodeURIComponent(segments) : segments.replace(/\/{2,}/g, '/')).split('/');
  const pairs = [...new URLSearchParams(query)].map((pair) => pair.map(encodePart));
  pairs.sort(([a = '', x = ''], [b = '', y = '']) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1));
  return `${parts.map(encodePart).join('/')}\n${pairs.map((pair) => pair.join('=')).join('&')}`;
};

/** Encodes all but the unreserved characters of RFC 3986. */
const encodePart = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The origin of a service, or of a bucket for S3. */
export const awsEndpoint = (service: string, region: string, bucket: string | undefined): string => {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://${bucket === undefined ? '' : `${bucket}.`}${service}.${region}.${suffix}`;
};

/** The keys of the function's role, which Lambda renews. */
export const readEnvironment = (): AwsCredentials => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  return {
    accessKeyId: AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: AWS_SECRET_ACCESS_KEY ?? '',
    sessionToken: AWS_SESSION_TOKEN || undefined,
  };
};

/** The longest first delay, like the SDK's. Each further delay is up to twice as long. */
const DELAY_MS = 100;
const THROTTLING_DELAY_MS = 500;

/**
 * Waits for a random part of the delay (full jitter), so that callers that were refused together do not retry together.
 */
const pauseBeforeRetry = (firstMs: number, tries: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * firstMs * 2 ** (tries - 1)));

interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array | undefined;
}

export interface Timeouts {
  /** Time limit for opening a new connection, not including the TLS handshake. */
  readonly connectMs: number;
  /** Time limit for one exchange, from the request to the last byte of the answer. */
  readonly exchangeMs: number;
}

const MAX_SOCKETS = 50;

/**
 * Creates exchanges with one origin over connections that stay open between requests; idle ones don't keep the process
 * alive. Uses only `node:http`, since `fetch` costs four times the CPU time.
 */
export const createConnection = (
  origin: URL,
  { connectMs, exchangeMs }: Timeouts,
): ((request: HttpRequest) => Promise<HttpAnswer>) => {
  const [Agent, open] =
    origin.protocol === 'https:'
      ? ([HttpsAgent, httpsRequest] as const)
      : ([HttpAgent, httpRequest] as const);
  const agent: HttpAgent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });
  const { protocol, hostname, port } = urlToHttpOptions(origin);
  const address = { agent, protocol, hostname, port };

  /**
   * Discards idle connections, so that after one has failed, no other is used: once a sandbox was frozen, connections
   * may look open although they are not.
   */
  const discardIdle = (): void => {
    for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
  };

  return ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const request = open({ ...address, method, path, headers });
      const endAfter = (ms: number, reason: string) =>
        setTimeout(() => request.destroy(new Error(`${reason} within ${ms} ms`)), ms);
      const exchange = endAfter(exchangeMs, 'no complete answer');
      let connecting: NodeJS.Timeout | undefined;
      const fail = (error: Error): void => {
        discardIdle();
        reject(error);
      };
      request
        .on('socket', (socket) => {
          if (!socket.connecting) return;
          connecting = endAfter(connectMs, 'no connection');
          socket.once('connect', () => clearTimeout(connecting));
        })
        .on('response', (response) => {
          const chunks: Buffer[] = [];
          response
            .on('data', (chunk: Buffer) => chunks.push(chunk))
            .on('end', () => resolve(new ReceivedAnswer(response, chunks)))
            .on('error', fail);
        })
        .on('error', fail)
        .on('close', () => {
          clearTimeout(exchange);
          clearTimeout(connecting);
        })
        .end(body);
    });
};

/** An answer whose headers are read on demand, since Node collects them only then: most answers are successes without a body. */
class ReceivedAnswer implements HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
  readonly #response: IncomingMessage;

  constructor(response: IncomingMessage, chunks: readonly Buffer[]) {
    this.status = response.statusCode ?? 0;
    this.body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    this.#response = response;
  }

  get headers(): IncomingHttpHeaders {
    return this.#response.headers;
  }
}
