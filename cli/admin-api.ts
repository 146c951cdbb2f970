import { setTimeout } from 'node:timers/promises';
import { isPlainObject, type JsonObject, lazy } from '@hookloom/plugin-kit';
import aws4 from 'aws4';
import type { AwsCredentials } from '../lib/adapters/aws/aws-caller.ts';
import { CommandError } from './command-error.ts';

interface ApiRequest {
  /** Query parameters; those that are null or undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | null | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

interface ApiAnswer {
  readonly status: number;
  /** The parsed JSON; null without a body. */
  readonly body: unknown;
}

/** Sends one request. @param address - the path with its query */
type SendToApi = (
  method: string,
  address: string,
  request: Pick<ApiRequest, 'headers' | 'body'>,
) => Promise<ApiAnswer>;

/** The admin API of a service. Each call throws ApiProblem if the service refuses it, and CommandError without an answer. */
export interface AdminApi {
  /** @param path - percent-encoded */
  call<Body>(method: string, path: string, request?: ApiRequest): Promise<Body>;
  /** All pages of a list. @param key - of the entries in the answer */
  list<Entry>(path: string, key: string, query?: ApiRequest['query']): Promise<readonly Entry[]>;
}

/** A problem that the admin API answers with (RFC 9457). */
export class ApiProblem extends Error {
  readonly status: number;
  /** The end of the problem's type: `workflow-not-found`. */
  readonly code: string;
  readonly members: JsonObject;

  constructor(status: number, problem: JsonObject) {
    super(String(problem.detail ?? problem.message ?? `the admin API answered ${status}`));
    this.status = status;
    this.code = String(problem.type ?? '').replace(/^.*:/, '');
    this.members = problem;
  }
}

export const createAdminApi = (send: SendToApi): AdminApi => {
  const call: AdminApi['call'] = async <Body>(
    method: string,
    path: string,
    { query = {}, ...request }: ApiRequest = {},
  ) => {
    const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === null || value === undefined ? [] : [[name, String(value)]],
    );
    const search = new URLSearchParams(given).toString().replaceAll('+', '%20');
    const { status, body } = await send(method, search === '' ? path : `${path}?${search}`, request);
    if (status >= 400) throw new ApiProblem(status, isPlainObject(body) ? (body as JsonObject) : {});
    return body as Body;
  };
  return {
    call,
    list: async <Entry>(path: string, key: string, query: ApiRequest['query'] = {}) => {
      const entries: Entry[] = [];
      let cursor: string | null = null;
      do {
        const page: Readonly<Record<string, unknown>> = await call('GET', path, {
          query: { ...query, limit: PAGE_SIZE, cursor },
        });
        entries.push(...(page[key] as readonly Entry[]));
        cursor = page.nextCursor as string | null;
      } while (cursor !== null);
      return entries;
    },
  };
};

const PAGE_SIZE = 100;

interface SendOptions {
  /** Origin of the API; found when it is needed. */
  readonly findUrl: () => Promise<string>;
  /** How requests are signed; null on this machine, where nothing is. */
  readonly signing: {
    readonly region: string;
    readonly readCredentials: () => AwsCredentials | Promise<AwsCredentials>;
  } | null;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** Longer than the gateway's limit of 30 s. */
const TIMEOUT_MS = 35_000;

const TRIES = 6;
/** The longest first delay; each further one is up to twice as long. */
const DELAY_MS = 200;

/** Whether a request may be repeated: the gateway has refused it for its rate, or it changes nothing. */
const isRepeatable = (status: number, method: string): boolean =>
  status === 429 || (status >= 500 && method === 'GET');

/** Sends requests over HTTP, signed with SigV4. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html */
export const createSendToApi = ({ findUrl, signing, sleep = setTimeout }: SendOptions): SendToApi => {
  const loadUrl = lazy(findUrl);
  const sendOnce: SendToApi = async (method, address, { headers = {}, body }) => {
    const { origin, host } = new URL(await loadUrl());
    const text = body === undefined ? undefined : JSON.stringify(body);
    const all = { ...headers, ...(text === undefined ? {} : { 'content-type': 'application/json' }) };
    const signed =
      signing === null
        ? all
        : aws4.sign(
            {
              ...{
                service: 'execute-api',
                region: signing.region,
                host,
                method,
                path: address,
                headers: all,
              },
              ...(text === undefined ? {} : { body: text }),
            },
            toKeys(await signing.readCredentials()),
          ).headers;
    return exchange(`${origin}${address}`, {
      method,
      headers: signed as Record<string, string>,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(text === undefined ? {} : { body: text }),
    });
  };
  return async (method, address, request) => {
    for (let tries = 1; ; tries++) {
      const answer = await sendOnce(method, address, request);
      if (answer.status === 403) refuseDenied(answer, method, address.split('?')[0] ?? '');
      if (tries === TRIES || !isRepeatable(answer.status, method)) return answer;
      await sleep(DELAY_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2));
    }
  };
};

const toKeys = ({ accessKeyId, secretAccessKey, sessionToken }: AwsCredentials) => ({
  accessKeyId,
  secretAccessKey,
  ...(sessionToken === undefined ? {} : { sessionToken }),
});

const exchange = async (url: string, init: RequestInit): Promise<ApiAnswer> => {
  try {
    const response = await fetch(url, init);
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  } catch (error) {
    const { origin } = new URL(url);
    if (error instanceof SyntaxError) throw new CommandError(`${origin} does not answer as an admin API.`);
    const { cause = error } = error as Error;
    throw new CommandError(`The admin API can't be reached at ${origin}: ${(cause as Error).message}`);
  }
};

/** The gateway's own refusal is no problem of the service: `{ "message": "Forbidden" }`. */
const refuseDenied = ({ body }: ApiAnswer, method: string, path: string): void => {
  if (isPlainObject(body) && 'type' in body) return;
  throw new CommandError(
    `AWS denies execute-api:Invoke on ${method} ${path} to these credentials.\nAsk for this permission; docs/deploying.md has the policies for each task.`,
  );
};
