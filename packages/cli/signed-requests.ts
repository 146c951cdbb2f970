import { lazy } from '@hookloom/plugin-kit';
import aws4 from 'aws4';
import type { AwsCredentials } from '../../lib/adapters/aws/aws-caller.ts';
import { CommandError } from './command-error.ts';

interface ApiRequestBytes {
  readonly method: string;
  /** The path with its query, percent-encoded. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

/** What the API answered, whatever its status. */
export interface ApiAnswerBytes {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Sends one request once. Throws CommandError when no answer arrives. */
export type SendBytes = (request: ApiRequestBytes) => Promise<ApiAnswerBytes>;

export interface SendOptions {
  /** Origin of the API; found when it is needed. */
  readonly findUrl: () => Promise<string>;
  /** How requests are signed; null on this machine, where nothing is. */
  readonly signing: {
    readonly region: string;
    /** @param isAgain - whether to read them anew, since AWS says that the known ones have expired */
    readonly readCredentials: (isAgain: boolean) => AwsCredentials | Promise<AwsCredentials>;
  } | null;
}

/** Longer than the gateway's limit of 30 s. */
const TIMEOUT_MS = 35_000;

/** Sends requests over HTTP, signed with SigV4. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html */
export const createSendBytes = ({ findUrl, signing }: SendOptions): SendBytes => {
  const loadUrl = lazy(findUrl);
  return async (request) => {
    const { origin, host } = new URL(await loadUrl());
    if (signing === null) return exchangeBytes(origin, request);
    const { region, readCredentials } = signing;
    const keys = await readCredentials(false);
    const answer = await exchangeBytes(origin, signRequest(request, { host, region, keys }));
    if (!isExpired(answer)) return answer;
    const renewed = await readCredentials(true);
    if (renewed.accessKeyId === keys.accessKeyId) return answer;
    return exchangeBytes(origin, signRequest(request, { host, region, keys: renewed }));
  };
};

const signRequest = (
  request: ApiRequestBytes,
  { host, region, keys }: Readonly<{ host: string; region: string; keys: AwsCredentials }>,
): ApiRequestBytes => {
  const { method, address: path, headers, body } = request;
  const { accessKeyId, secretAccessKey, sessionToken } = keys;
  const unsigned = { service: 'execute-api', region, host, method, path, headers: { ...headers } };
  const signed = aws4.sign(
    { ...unsigned, ...(body === undefined ? {} : { body: Buffer.from(body) }) },
    { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
  );
  return { ...request, headers: signed.headers as Record<string, string> };
};

/** AWS refuses temporary credentials that have expired before anything is run. */
const isExpired = ({ status, body }: ApiAnswerBytes): boolean =>
  status === 403 && /token (?:included in the request )?is expired/.test(Buffer.from(body).toString());

const exchangeBytes = async (
  origin: string,
  { method, address, headers, body }: ApiRequestBytes,
): Promise<ApiAnswerBytes> => {
  try {
    const response = await fetch(`${origin}${address}`, {
      method,
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: new Uint8Array(await response.arrayBuffer()),
    };
  } catch (error) {
    const { cause = error } = error as Error;
    throw new CommandError(`The admin API can't be reached at ${origin}: ${(cause as Error).message}`);
  }
};

/**
 * What the gateway says when it refuses a request before the service sees it, such as `Forbidden`; null for any answer of
 * the service, which has a problem's type.
 */
export const readDenial = (status: number, body: unknown): string | null => {
  if (status !== 403) return null;
  const { type, message, Message } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return type === undefined ? String(message ?? Message ?? 'Forbidden') : null;
};
