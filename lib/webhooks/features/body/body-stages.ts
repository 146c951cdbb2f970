import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { BODY_INVALID, BODY_TOO_DEEP, BODY_TOO_LARGE } from '../../../shared/error-catalogue.ts';
import { AppError, isAppError } from '../../../shared/errors.ts';
import { decodeExactly, decodeText, readCharset } from '../../decode-text.ts';
import { isJson, parseOrText, toMediaType } from '../../parse-body.ts';
import { parseForm } from '../../parse-form.chunk.ts';
import type { BodyParsers, ParsedBody, Received, Stages } from '../../webhook-feature.ts';
import { toFileBody } from './file-body.ts';
import { nestFields } from './nest-fields.ts';
import { parseMultipart } from './parse-multipart.ts';

/** Keeping the raw bytes as well doubles the space, and the time to store and load the body. */
const MAX_RAW_BYTES = 3 * 1024 * 1024;

interface BodyRule {
  readonly type?: 'auto' | Exclude<BodyType, 'untyped'>;
  readonly nested?: boolean;
  readonly raw?: boolean;
}

/** Type of a body; `untyped` stands for a body without a content type. */
type BodyType = 'json' | 'ndjson' | 'form' | 'multipart' | 'xml' | 'text' | 'file' | 'untyped';

interface TypedBody extends Received {
  /** The charset in the content type; undefined without one. */
  readonly charset: string | undefined;
  /** Makes the body of the fields of a form. */
  readonly toBody: (fields: JsonObject) => JsonObject;
}

export const parseTypedBody = ({ type = 'auto', nested = false, raw = false }: BodyRule): Stages => {
  const toBody = nested ? nestFields : (fields: JsonObject) => fields;
  return {
    parse: async (received) => {
      const { headers, rawBody } = received.content;
      if (raw) limitRaw(received);
      const contentType = headers['content-type'] ?? '';
      const parse = parsers[type === 'auto' ? toBodyType(toMediaType(contentType)) : type];
      const parsed =
        rawBody.length === 0
          ? { body: {} }
          : await parse({ ...received, charset: readCharset(contentType), toBody });
      return raw ? { ...parsed, more: { rawBody: toRawBody(received.request.rawBody) } } : parsed;
    },
  };
};

/** Limits the raw body, both as received and as inflated. */
const limitRaw = ({ request, content }: Received): void => {
  if (Math.max(request.rawBody.length, content.rawBody.length) > MAX_RAW_BYTES)
    throw new AppError(BODY_TOO_LARGE, { limitBytes: MAX_RAW_BYTES });
};

/** Exactly what was received: as text, or as base64 when it is not UTF-8. */
const toRawBody = (bytes: Uint8Array): JsonValue =>
  decodeExactly(bytes) ?? { base64: Buffer.from(bytes).toString('base64') };

/** Body types by media type, in lower case without parameters. No media type is registered for JSON Lines. */
const types: ReadonlyMap<string, BodyType> = new Map([
  ['', 'untyped'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
  ['application/x-jsonlines', 'ndjson'],
  ['application/x-www-form-urlencoded', 'form'],
  ['multipart/form-data', 'multipart'],
  ['application/xml', 'xml'],
  ['text/xml', 'xml'],
]);

const toBodyType = (mediaType: string): BodyType => {
  const known = types.get(mediaType);
  if (known !== undefined) return known;
  if (isJson(mediaType)) return 'json';
  if (mediaType.endsWith('+xml') && !mediaType.startsWith('image/')) return 'xml'; // RFC 7303 §8.1; SVG is an image
  return mediaType.startsWith('text/') ? 'text' : 'file';
};

const parsers: Readonly<Record<BodyType, (typed: TypedBody) => ParsedBody | Promise<ParsedBody>>> = {
  json: (typed) => ({ body: typed.parsers.json(decodeTypedBody(typed)) }),
  ndjson: (typed) => ({ body: parseNdjson(decodeTypedBody(typed), typed.parsers) }),
  form: ({ content, toBody }) => ({ body: toBody(parseForm(content)) }),
  multipart: ({ content, toBody }) => parseMultipart(content, toBody),
  xml: async ({ content: { rawBody }, charset, parsers: { xml, maxDepth } }) => ({
    body: await parseXmlBody(rawBody, charset, { xml, maxDepth }),
  }),
  text: (typed) => ({ body: decodeTypedBody(typed) }),
  file: ({ content }) => toFileBody(content),
  untyped: ({ content, parsers: { json } }) => {
    const text = decodeExactly(content.rawBody);
    return text === null ? toFileBody(content) : { body: parseOrText(text, json) };
  },
};

const decodeTypedBody = ({ content, charset }: TypedBody): string => decodeText(content.rawBody, charset);

/** Maximum number of lines; blank lines count. */
const MAX_LINES = 50_000;

/**
 * Parses newline-delimited JSON: one value per line; blank lines are skipped. https://github.com/ndjson/ndjson-spec
 *
 * @throws AppError `BODY_INVALID` with the line number, `BODY_TOO_DEEP`
 */
export const parseNdjson = (text: string, { json, limitJson }: BodyParsers): JsonValue[] => {
  limitJson(text); // all lines together
  const values: JsonValue[] = [];
  let number = 0;
  for (let start = 0; start < text.length; ) {
    number += 1;
    if (number > MAX_LINES)
      throw new AppError(BODY_INVALID, { reason: `it has more than ${MAX_LINES} lines` });
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    if (line.trim() !== '') values.push(parseLine(line, number, json));
    start = end + 1;
  }
  return values;
};

const parseLine = (line: string, number: number, parseJson: (line: string) => JsonValue): JsonValue => {
  try {
    return parseJson(line);
  } catch (error) {
    if (!isAppError(error, 'BODY_INVALID')) throw error;
    const { reason, isJson } = error.parameters as Parameters<typeof BODY_INVALID>[0];
    throw new AppError(BODY_INVALID, {
      reason: `in line ${number}, ${reason}`,
      ...(isJson ? { isJson } : {}),
    });
  }
};

/** How much of a body is searched for an XML declaration; declarations are shorter. */
const DECLARATION_BYTES = 200;

/**
 * Parses XML to an object. The charset comes from the content type, else the byte order mark, else the XML declaration,
 * else it is UTF-8: RFC 7303 §3.
 *
 * @throws AppError `BODY_INVALID` with the line number, `BODY_TOO_DEEP` at the same depth as for JSON,
 *   `BODY_UNSUPPORTED`
 */
export const parseXmlBody = async (
  bytes: Uint8Array,
  charset: string | undefined,
  { xml, maxDepth }: Pick<BodyParsers, 'xml' | 'maxDepth'>,
): Promise<JsonObject> => {
  const named = charset !== undefined && isAsciiXml(bytes) && UTF_16.test(charset) ? undefined : charset;
  const text = decodeText(bytes, named ?? findCharset(bytes));
  const body = await xml(text).catch((error: unknown) => {
    throw error instanceof RangeError ? new AppError(BODY_INVALID, { reason: error.message }) : error;
  });
  if (isDeeper(body, maxDepth)) throw new AppError(BODY_TOO_DEEP, { limit: maxDepth });
  return body;
};

/** Whether a value has more levels of arrays and objects. The parser bounds them, and so this recursion. */
const isDeeper = (value: JsonValue, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

const isAsciiXml = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '<?xml';

const findCharset = (bytes: Uint8Array): string | undefined => {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0x3c && second === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c) return 'utf-16be';
  const head = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1');
  if (!head.startsWith('<?xml')) return undefined;
  const declaration = head.slice(0, head.indexOf('?>'));
  const declared = /encoding=["']([A-Za-z0-9._-]{1,40})["']/.exec(declaration)?.[1];
  return declared !== undefined && UTF_16.test(declared) ? undefined : declared;
};

/** What a declaration that is readable as ASCII can't be in: https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding */
const UTF_16 = /^(?:utf-?16|ucs-?2|unicode|iso-10646-ucs-2)/i;
