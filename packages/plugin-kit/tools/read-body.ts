import { asFinal } from '../contract/errors.ts';
import type { JsonValue } from '../contract/json.ts';
import { parseJson } from '../contract/json.ts';
import type { OutboundResponse } from '../contract/services.ts';

type Received = Pick<OutboundResponse, 'headers' | 'body'>;

/** How a body is parsed. */
type ValueType = 'auto' | 'json' | 'text';

/**
 * Reads a body by its content type, or as the type says.
 *
 * @throws Error when it is not JSON and must be; a node that throws it is not tried again
 */
export const readBody = (response: Received, type: ValueType): JsonValue => {
  switch (type) {
    case 'auto':
      return readByContentType(response);
    case 'json':
      return response.body.byteLength === 0
        ? null
        : parseOr('the answer is not JSON', decodeUtf8(response.body));
    case 'text':
      return decodeReceived(response);
  }
};

/**
 * Reads a body by its content type: parsed if it is JSON, a string if it is valid in the charset of the type or in UTF-8,
 * else `{ base64 }`.
 */
const readByContentType = ({ headers, body }: Received): JsonValue => {
  const text = toDeclared(headers, body) ?? decodeUtf8(body);
  if (text === null) return toBase64(body);
  return text === '' || !isJson(headers)
    ? text
    : parseOr('the response has a JSON content type but is not valid JSON', text);
};

const isJson = (headers: Received['headers']): boolean => {
  const [type = ''] = (headers['content-type'] ?? '').split(/[;,]/); // a header that is sent twice is joined
  return /^application\/(?:.+\+)?json$/i.test(type.trim());
};

const parseOr = (problem: string, text: string | null): JsonValue => {
  try {
    return parseJson(text ?? '');
  } catch {
    throw asFinal(new Error(problem)); // without the error of the parser, which repeats the text
  }
};

const charsetOf = (headers: Received['headers']): string =>
  /;\s*charset="?([\w:.-]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';

/** Decoded by the content type's charset; null if the charset is unknown, or the bytes are not valid in it. */
const toDeclared = (headers: Received['headers'], body: Uint8Array): string | null => {
  try {
    return new TextDecoder(charsetOf(headers), { fatal: true }).decode(body);
  } catch {
    return null;
  }
};

/** Decoded by the content type's charset; as UTF-8 without a known one. */
const decodeReceived = ({ headers, body }: Received): string => {
  try {
    return new TextDecoder(charsetOf(headers)).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
};

const decodeUtf8 = (body: Uint8Array, options: { readonly stream?: boolean } = {}): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body, options);
  } catch {
    return null;
  }
};

const toBase64 = (body: Uint8Array): JsonValue => ({ base64: Buffer.from(body).toString('base64') });

/** Maximum number of body bytes in an error. */
const MAX_ERROR_BODY_BYTES = 10_000;

/** Reads only as much of a streamed body as an error needs. */
export const readErrorStart = async (stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > MAX_ERROR_BODY_BYTES) break;
  }
  return Buffer.concat(chunks);
};

/**
 * The body for an error: parsed as for `auto`, a text if it is not the JSON that it claims to be, or the start of a
 * larger one.
 */
export const readErrorBody = (
  response: Received,
): { readonly body: JsonValue; readonly truncated?: true } => {
  const start = response.body.subarray(0, MAX_ERROR_BODY_BYTES);
  // A character that the end cuts is left out.
  const asText = () => decodeUtf8(start, { stream: true }) ?? toBase64(start);
  if (start.byteLength < response.body.byteLength) return { body: asText(), truncated: true };
  try {
    return { body: readByContentType(response) };
  } catch {
    return { body: asText() };
  }
};
