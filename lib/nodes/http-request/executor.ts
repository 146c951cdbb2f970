import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { isJsonMap, readParameters, wrongParameter } from '../../contract/kit/read-parameters.ts';
import type { NodeExecutor } from '../../contract/node.ts';
import type { OutboundResponse } from '../../contract/services.ts';

/** The properties of the node type, with the bounds that a legacy property can't state. */
const rules = {
  method: { type: 'string', default: 'GET' },
  url: { type: 'string' },
  headers: { type: 'object', default: {} },
  query: { type: 'object', default: {} },
  body: {},
  bodyType: { enum: ['json', 'text', 'form'], default: 'json' },
  maxRedirects: { type: 'integer', minimum: 0, maximum: 20, default: 5 },
  maxResponseBytes: { type: 'integer', minimum: 1, maximum: 6 * 1024 * 1024, default: 1_048_576 },
  failOnStatus: { type: 'boolean', default: true },
  idempotencyKey: { type: 'boolean', default: false },
} as const;

type BodyType = (typeof rules.bodyType.enum)[number];

/** The client's timeout is later than the node's, so that the node's message is shown. */
const TIMEOUT_MARGIN_MS = 1_000;

/**
 * Calls a URL. Output: `{ status, headers, body, url }`, with the body parsed for a JSON content type, a string for
 * valid UTF-8, else `{ base64 }`. The timeout is the attempt's (`settings.timeoutSeconds`), the other limits are
 * parameters. The client refuses private addresses.
 */
export const httpRequestExecutor: NodeExecutor = {
  getNodeType: () => 'httpRequest',
  execute: async ({ parameters }, _input, context) => {
    const { execution, services, signal, idempotencyKey, remainingMs } = context;
    const given = readParameters(parameters, rules);
    const { method, body, bodyType, maxRedirects, maxResponseBytes } = given;
    const response = await services.http.request({
      method,
      url: addQuery(given.url, given.query),
      headers: {
        ...contentTypeOf(body, bodyType),
        ...(execution.traceparent === undefined ? {} : { traceparent: execution.traceparent }),
        ...(given.idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
        ...readHeaders(given.headers),
      },
      body: toBody(body, bodyType),
      timeoutMs: remainingMs() + TIMEOUT_MARGIN_MS,
      maxRedirects,
      maxResponseBytes,
      signal,
    });
    if (response.status >= 400 && given.failOnStatus) {
      throw new Error(`${new URL(response.url).host} answered ${response.status}`);
    }
    return {
      status: response.status,
      headers: response.headers,
      body: readBody(response),
      url: response.url,
    };
  },
};

/** A URL with more query parameters: a list repeats the name, null adds nothing. */
const addQuery = (text: string, query: JsonObject): string => {
  const url = URL.parse(text);
  // Without the URL, whose query may hold a secret.
  if (url === null) throw new TypeError('Parameter "url" is not an absolute URL');
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === null) continue;
      if (typeof item === 'object')
        throw wrongParameter(`query.${name}`, 'a text, a number or a list of them', item);
      url.searchParams.append(name, String(item));
    }
  }
  return url.href;
};

const readHeaders = (headers: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (typeof value !== 'string') throw wrongParameter(`headers.${name}`, 'a string', value);
      return [name.toLowerCase(), value];
    }),
  );

const contentTypes: Record<BodyType, string> = {
  json: 'application/json',
  text: 'text/plain; charset=utf-8',
  form: 'application/x-www-form-urlencoded',
};

const contentTypeOf = (body: JsonValue | undefined, bodyType: BodyType): Record<string, string> =>
  body === undefined || body === null ? {} : { 'content-type': contentTypes[bodyType] };

const toBody = (body: JsonValue | undefined, bodyType: BodyType): string | null => {
  if (body === undefined || body === null) return null;
  switch (bodyType) {
    case 'json':
      return JSON.stringify(body);
    case 'text':
      if (typeof body !== 'string') throw wrongParameter('body', 'a string', body);
      return body;
    case 'form':
      if (!isJsonMap(body)) throw wrongParameter('body', 'a map', body);
      return toForm(body);
  }
};

const toForm = (body: JsonObject): string => {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== null && typeof item === 'object')
        throw wrongParameter(`body.${name}`, 'a text or a number', item);
      form.append(name, item === null ? '' : String(item));
    }
  }
  return form.toString();
};

const readBody = ({ headers, body }: OutboundResponse): JsonValue => {
  const text = toText(body);
  if (text === null) return { base64: Buffer.from(body).toString('base64') };
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (text === '' || !/^application\/(?:.+\+)?json$/i.test(type.trim())) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the answer says that it is JSON, and is not');
  }
};

const toText = (body: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return null;
  }
};
