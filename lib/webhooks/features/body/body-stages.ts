import type { JsonValue } from '@hookloom/plugin-kit';
import { BODY_TOO_LARGE } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import { isJson, orText, toMediaType } from '../../parse-body.ts';
import { parseUrlEncoded } from '../../parse-url-encoded.ts';
import type { ParsedBody, Received, Stages } from '../../webhook-feature.ts';
import { decodeExactly, decodeText, readCharset } from './decode-text.ts';
import { toFileBody } from './file-body.ts';
import { parseMultipart } from './parse-multipart.ts';
import { parseNdjson } from './parse-ndjson.ts';
import { parseXmlBody } from './parse-xml-body.ts';

/** Keeping the raw bytes as well doubles the space, and the time to store and load the body. */
const MAX_RAW_BYTES = 3 * 1024 * 1024;

/** The value of the parameter `body`. */
interface BodyRule {
  readonly type?: 'auto' | Exclude<BodyType, 'untyped'>;
  readonly raw?: boolean;
}

/** Type of a body; `untyped` stands for a body without a content type. */
type BodyType = 'json' | 'ndjson' | 'form' | 'multipart' | 'xml' | 'text' | 'file' | 'untyped';

/** A received body whose type is known. */
interface TypedBody extends Received {
  /** The charset in the content type; undefined without one. */
  readonly charset: string | undefined;
}

/** Parses bodies of more types than JSON, forms and text, and provides the raw bytes on request. */
export const parseTypedBody = ({ type = 'auto', raw = false }: BodyRule): Stages => {
  return {
    parse: async (received) => {
      const { headers, rawBody } = received.content;
      if (raw) limitRaw(received);
      const contentType = headers['content-type'] ?? '';
      const parse = parsers[type === 'auto' ? toBodyType(toMediaType(contentType)) : type];
      const parsed =
        rawBody.length === 0 ? { body: {} } : await parse({ ...received, charset: readCharset(contentType) });
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
  json: (typed) => ({ body: typed.parsers.json(toText(typed)) }),
  ndjson: (typed) => ({ body: parseNdjson(toText(typed), typed.parsers) }),
  form: (typed) => ({ body: parseUrlEncoded(toText(typed)) }),
  multipart: ({ content }) => parseMultipart(content),
  xml: async ({ content: { rawBody }, charset, parsers: { xml, maxDepth } }) => ({
    body: await parseXmlBody(rawBody, charset, { xml, maxDepth }),
  }),
  text: (typed) => ({ body: toText(typed) }),
  file: ({ content }) => toFileBody(content),
  untyped: ({ content, parsers: { json } }) => {
    const text = decodeExactly(content.rawBody);
    return text === null ? toFileBody(content) : { body: orText(json)(text) };
  },
};

const toText = ({ content, charset }: TypedBody): string => decodeText(content.rawBody, charset);
