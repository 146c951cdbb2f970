import { buffer } from 'node:stream/consumers';
import type { CredentialContext, CredentialFields } from '../contract/credential-type.ts';
import { type JsonObject, type JsonValue, jsonEquals } from '../contract/json.ts';
import { completeRequest, type HttpClient, type OutboundRequest } from '../contract/services.ts';
import { type Answers, createExchanges, toDifference } from './exchanges.ts';
import type { TestCredential } from './fake-credential.ts';
import { toStream } from './fake-files.ts';

/** A request as it was sent, with its credential applied and its whole body. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** Headers of the request, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the request; null if it has none. */
  readonly body: string | null;
}

export interface FakeAnswer {
  /** Status of the response; 200 by default. */
  readonly status?: number;
  /** Names in any case: a node gets them in lower case, as from the service. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The body, sent with the content type of JSON. */
  readonly json?: JsonValue;
}

/** A recorded exchange: what must be sent, and the answer. */
export interface Exchange {
  readonly request: {
    /** The expected method; `GET` by default. */
    readonly method?: string;
    readonly url: string;
    /** Expected headers, with lower-case names; the request may have others as well. */
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    /** The body as JSON, with keys in any order. */
    readonly json?: JsonValue;
  };
  readonly answer: FakeAnswer;
}

/** Exchanges in the expected order, or a function that answers any request. */
export type HttpAnswers = Answers<SentRequest, Exchange, FakeAnswer>;

/**
 * HTTP without a network. It refuses requests that are not expected.
 * @param credential - applied to requests that name it
 */
export const createFakeHttp = (
  answers: HttpAnswers,
  credential: TestCredential | null,
  context: Omit<CredentialContext, 'http'>,
) => {
  const { sent, answer, assertDone } = createExchanges(answers, {
    noun: 'request',
    describeSent: ({ method, url }: SentRequest) => `${method} ${url}`,
    describeExpected: ({ request: { method = 'GET', url } }: Exchange) => `${method} ${url}`,
    findDifference,
    answerOf: (exchange): FakeAnswer => exchange.answer,
  });

  const http: HttpClient = {
    request: async (options) => {
      const given = completeRequest(options);
      given.signal.throwIfAborted();
      const applied = await applyCredential(given, credential, { ...context, http });
      const { status = 200, headers = {}, body = '', json } = await answer(await toSent(applied));
      const bytes = Buffer.from(json === undefined ? body : JSON.stringify(json));
      const isStreamed = given.streamsBody === true;
      return {
        status,
        headers: {
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...toLowerCase(headers),
        },
        body: isStreamed ? new Uint8Array() : bytes,
        stream: isStreamed ? toStream(bytes) : null,
        url: given.url,
      };
    },
  };

  return { http, requests: sent as readonly SentRequest[], assertDone };
};

const applyCredential = async (
  request: OutboundRequest,
  credential: TestCredential | null,
  context: CredentialContext,
): Promise<OutboundRequest> => {
  if (request.credential === undefined || credential === null) return request;
  if (typeof credential.type === 'string') return applyByName(request, credential.type, credential.fields);
  const { apply, name } = credential.type;
  if (apply === undefined) throw new Error(`a credential of the type "${name}" is not applied to requests`);
  return apply(request, credential.fields, context);
};

/**
 * The built-in types that can be given by name. The others need what a test does not have: a server's token, a role, a
 * connection.
 */
const builtIn: Readonly<
  Record<string, (request: OutboundRequest, fields: CredentialFields) => OutboundRequest>
> = {
  httpBearer: (request, { token }) => withHeader(request, 'authorization', `Bearer ${token}`),
  httpBasic: (request, { username, password }) =>
    withHeader(
      request,
      'authorization',
      `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    ),
  httpHeader: (request, { name = '', value = '', secondName = '', secondValue = '' }) => {
    const first = withHeader(request, name, value);
    return secondName === '' ? first : withHeader(first, secondName, secondValue);
  },
  httpQuery: (request, { name = '', value = '' }) => {
    const url = new URL(request.url);
    url.searchParams.set(name, value);
    return { ...request, url: url.href };
  },
  httpBody: (request) => request,
  oauth2: (request) => request,
  googleServiceAccount: (request) => request,
  awsRole: (request) => request,
  awsKeys: (request) => request,
  tlsClient: (request) => request,
};

const withHeader = (request: OutboundRequest, name: string, value: string): OutboundRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});

const applyByName = (request: OutboundRequest, type: string, fields: CredentialFields): OutboundRequest => {
  const apply = Object.hasOwn(builtIn, type) ? builtIn[type] : undefined;
  if (apply !== undefined) return apply(request, fields);
  throw new Error(
    `the request names a credential of the type "${type}", which is not known here: pass its declaration as credential.type, so that it can be applied`,
  );
};

const toSent = async ({ method, url, headers, body }: OutboundRequest): Promise<SentRequest> => ({
  method,
  url,
  headers: toLowerCase(headers),
  body: await bodyToText(body),
});

const toLowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const bodyToText = async (body: OutboundRequest['body']): Promise<string | null> => {
  if (body === null || typeof body === 'string') return body;
  return Buffer.from(body instanceof Uint8Array ? body : await buffer(body)).toString();
};

const findDifference = (
  request: SentRequest,
  { request: { method = 'GET', url, headers = {}, body, json } }: Exchange,
  what: string,
): string | null => {
  const differs = (part: string, sent: unknown, expected: unknown) =>
    toDifference(what, part, sent, expected);
  if (request.method !== method) return differs('the method', request.method, method);
  if (request.url !== url) return differs('the URL', request.url, url);
  for (const [name, value] of Object.entries(headers)) {
    if (request.headers[name] !== value)
      return differs(`the header ${name}`, request.headers[name] ?? null, value);
  }
  if (body !== undefined && request.body !== body) return differs('the body', request.body, body);
  return json === undefined || jsonEquals(parseFakeBody(request.body), json)
    ? null
    : differs('the body', parseFakeBody(request.body), json);
};

const parseFakeBody = (body: string | null): JsonValue => {
  try {
    return JSON.parse(body ?? 'null') as JsonObject;
  } catch {
    return body;
  }
};
