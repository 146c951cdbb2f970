import { crc32 } from 'node:zlib';
import { isPlainObject, type JsonObject, type JsonValue, toExactJson } from '@hookloom/plugin-kit';
import { Refusal } from '../../../shared/errors.ts';
import { tryJson } from '../../../shared/try-json.ts';
import { parseUrlEncoded } from '../../parse-url-encoded.ts';
import type { WebhookRequest } from '../../webhook.ts';
import type { Place, SchemeRow, SignatureRule } from './schemes.ts';
import { checkTimestamp } from './timestamp.ts';

/** Maximum size of a body that contains its signature, and is parsed before that is verified. */
const MAX_SIGNED_FIELDS_BYTES = 1_048_576;

/** @throws Refusal when the request lacks it */
export const readHeader = ({ headers }: Pick<WebhookRequest, 'headers'>, name: string): string =>
  readPlace({ headers } as WebhookRequest, { headers: [name] });

/** The whole value at a place. @throws Refusal when the request lacks it */
export const readPlace = (request: WebhookRequest, { headers = [], fields = [] }: Place): string => {
  for (const name of headers) if (request.headers[name]) return request.headers[name];
  if (fields.length > 0) {
    const body = readFields(request);
    for (const path of fields) {
      const value = path.split('.').reduce<JsonValue | undefined>(readMember, body);
      if ((typeof value === 'string' && value !== '') || typeof value === 'number') return String(value);
    }
    throw new Refusal(`field ${fields.join(' or ')} is missing from the body`);
  }
  throw new Refusal(`header ${headers.join(' or ')} is missing`);
};

/** The items of a list, after their prefix: see {@link Place}. */
export const splitList = (value: string, prefix: string): string[] =>
  [',', ';', ' ']
    .filter((separator) => !prefix.includes(separator))
    .reduce((texts, separator) => texts.flatMap((text) => text.split(separator)), [value])
    .filter((text) => text.startsWith(prefix) && text.length > prefix.length)
    .map((text) => text.slice(prefix.length));

const readMember = (whole: JsonValue | undefined, name: string): JsonValue | undefined =>
  isPlainObject(whole) && Object.hasOwn(whole, name) ? whole[name] : undefined;

/** Parsed bodies by request: several fields are read. */
const known = new WeakMap<WebhookRequest, JsonObject>();

/** The fields of a JSON or form body. @throws Refusal for any other body */
export const readFields = (request: WebhookRequest): JsonObject => {
  const fields = known.get(request) ?? parseFields(request);
  known.set(request, fields);
  return fields;
};

const parseFields = ({ headers, rawBody }: WebhookRequest): JsonObject => {
  if (rawBody.length > MAX_SIGNED_FIELDS_BYTES)
    throw new Refusal(`the body is larger than ${MAX_SIGNED_FIELDS_BYTES} bytes`);
  const text = Buffer.from(rawBody).toString();
  if ((headers['content-type'] ?? '').toLowerCase().startsWith('application/x-www-form-urlencoded'))
    return parseUrlEncoded(text);
  const value = tryJson(toExactJson(text));
  if (isPlainObject(value)) return value as JsonObject;
  throw new Refusal('the body has no fields');
};

/** What a scheme's row reads from a request, before any secret is loaded. */
export interface SignedContent {
  /** The list of signatures, as the sender sent it. */
  readonly signature: string;
  readonly pieces: readonly (string | Uint8Array)[];
}

/** @throws Refusal when the request lacks a part, or its timestamp is out of range */
export const createReadContent = (row: SchemeRow, rule: SignatureRule) => {
  const template = splitSigned(row.signed ?? '{body}');
  return (request: WebhookRequest, now: number): SignedContent => {
    const signature = row.signature === undefined ? '' : readPlace(request, row.signature);
    const timestamp = row.timestamp === undefined ? '' : readTimestamp(request, row.timestamp);
    if (row.timestamp !== undefined) checkTimestamp(timestamp, now, { ...row, ...rule });
    const id = row.id === undefined ? '' : readPlace(request, row.id);
    const texts = { timestamp, id, webhookId: rule.webhookId ?? '' };
    const pieces = template.map((piece) =>
      'text' in piece ? piece.text : partOfRequest(piece.part, request, texts, rule.url),
    );
    if ((rule.timestampFormat ?? row.timestampFormat) === undefined)
      template.forEach((piece, at) => {
        if ('part' in piece && piece.part === 'timestamp') checkNeighbours(pieces, at);
      });
    return { signature, pieces };
  };
};

/**
 * Checks that no digit is next to a timestamp of an unknown form: a digit could move from one to the other, under the
 * same signature.
 *
 * @throws Refusal if there is one
 */
const checkNeighbours = (pieces: SignedContent['pieces'], at: number): void => {
  const before = pieces.slice(0, at).findLast(isNotEmpty);
  const after = pieces.slice(at + 1).find(isNotEmpty);
  const joints = [before?.at(-1), after?.at(0)].map((end) =>
    typeof end === 'number' ? String.fromCharCode(end) : end,
  );
  if (joints.some((character) => character !== undefined && /\d/.test(character)))
    throw new Refusal('a digit is next to the timestamp in the signed text: set its timestampFormat');
};

const isNotEmpty = ({ length }: string | Uint8Array): boolean => length > 0;

const readTimestamp = (request: WebhookRequest, place: Place): string => {
  const [timestamp] = splitList(readPlace(request, place), place.prefix ?? '');
  if (timestamp === undefined) throw new Refusal('the signature has no timestamp');
  return timestamp;
};

/** A part that the template names. @throws Refusal for a missing header */
const partOfRequest = (
  part: string,
  request: WebhookRequest,
  texts: Readonly<Record<string, string>>,
  url: string | undefined,
): string | Uint8Array => {
  switch (part) {
    case 'body':
      return request.rawBody;
    case 'crc32':
      return String(crc32(request.rawBody));
    case 'method':
      return request.method;
    case 'path':
      return encodePath(request.requestPath);
    case 'query':
      return request.rawQueryString;
    case 'url':
      return toPublicUrl(request, url);
    default:
      return texts[part] ?? readHeader(request, part.slice('headers.'.length).toLowerCase());
  }
};

/**
 * The URL that the sender requested, with its query as sent.
 *
 * @param base - the URL without query behind a custom domain; undefined for the gateway's own
 */
export const toPublicUrl = (
  { headers, requestPath, rawQueryString }: WebhookRequest,
  base: string | undefined,
): string =>
  `${base ?? `https://${headers.host ?? ''}${encodePath(requestPath)}`}${rawQueryString === '' ? '' : `?${rawQueryString}`}`;

/** Encodes a path again, since AWS passes it on decoded: a blank is `%20`. What was sent as `%2F` stays `/`. */
const encodePath = (path: string): string => encodeURI(path.toWellFormed()).replaceAll('#', '%23');

/** A piece of what is signed: literal text, or the name of a part of the request. */
type SignedPiece = { readonly text: string } | { readonly part: string };

const PLACEHOLDER = /(\{[^{}]*\})/;

/**
 * Splits a template such as `{timestamp}.{body}`. Braces stay text when they hold no name, as in `{}`.
 *
 * @returns names without their braces: `body`, `headers.x-id`
 */
export const splitSigned = (template: string): SignedPiece[] =>
  template
    .split(PLACEHOLDER)
    .map((piece) =>
      piece.length > 2 && piece.startsWith('{') && piece.endsWith('}')
        ? { part: piece.slice(1, -1) }
        : { text: piece },
    );

const PARTS: readonly string[] = ['body', 'timestamp', 'method', 'url', 'path', 'query'];

export const isPartOfRequest = (part: string): boolean =>
  PARTS.includes(part) || /^headers\.[A-Za-z0-9_-]+$/.test(part);
