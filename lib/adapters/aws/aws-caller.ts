import { AwsClient } from 'aws4fetch';

/** A request to one of AWS's HTTP APIs, without host and signature. */
export interface AwsRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With its leading slash, percent-encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface AwsAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** Requests sent. After more than one, an earlier one may have taken effect and its answer been lost. */
  readonly tries: number;
}

export type CallAws = (request: AwsRequest) => Promise<AwsAnswer>;

export interface AwsCallerOptions {
  /** As the endpoint and the signature name it: `lambda`, `events`, `s3`. */
  readonly service: string;
  readonly region: string;
  /** Of a service on this machine; null for AWS's own. */
  readonly endpoint: string | null;
  /** S3 has one host per bucket. */
  readonly bucket?: string;
  /** Called for each request. By default the environment's: Lambda renews them. */
  readonly readCredentials?: () => AwsCredentials | Promise<AwsCredentials>;
}

interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

const TRIES = 3;
const TIMEOUT_MS = 5_000;

/**
 * Calls AWS with `fetch` and a signature (SigV4); for these few calls the SDK's clients would cost the bundle and
 * every cold start ten times as much. An error status is an answer; a call throws when no answer arrives.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
 */
export const createAwsCaller = ({
  service,
  region,
  endpoint,
  bucket,
  readCredentials = readEnvironment,
}: AwsCallerOptions): CallAws => {
  const base = endpoint?.replace(/\/+$/, '') ?? awsEndpoint(service, region, bucket);
  const cache = new Map<string, ArrayBuffer>();
  return async ({ method, path, headers = {}, body }) => {
    const { accessKeyId, secretAccessKey, sessionToken } = await readCredentials();
    const client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      ...{ service, region, cache, retries: 0 },
    });
    for (let tries = 1; ; tries++) {
      const response = await client
        .fetch(`${base}${path}`, {
          method,
          headers: { ...headers },
          ...(body === undefined ? {} : { body: body as NonNullable<RequestInit['body']> }),
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        .catch((error: unknown) => {
          if (tries === TRIES) throw error;
          return null;
        });
      const isOver = response !== null && (tries === TRIES || !isWorthRetrying(response.status));
      if (isOver) return toAnswer(response, tries);
      await pause(tries);
    }
  };
};

const awsEndpoint = (service: string, region: string, bucket: string | undefined): string => {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://${bucket === undefined ? '' : `${bucket}.`}${service}.${region}.${suffix}`;
};

const readEnvironment = (): AwsCredentials => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  return {
    accessKeyId: AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: AWS_SECRET_ACCESS_KEY ?? '',
    sessionToken: AWS_SESSION_TOKEN || undefined,
  };
};

const isWorthRetrying = (status: number): boolean => status >= 500 || status === 429;

const toAnswer = async (response: Response, tries: number): Promise<AwsAnswer> => ({
  status: response.status,
  headers: response.headers,
  body: new Uint8Array(await response.arrayBuffer()),
  tries,
});

/** Full jitter, so that callers that were refused together do not retry together. */
const pause = (tries: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * 50 * 2 ** tries));
