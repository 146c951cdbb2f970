import type { JsonValue } from '@hookloom/plugin-kit';
import { BODY_INVALID } from '../shared/error-catalogue.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import { parseUrlEncoded } from './parse-url-encoded.ts';

type ParseText = (text: string) => JsonValue;

/** What of a request its body is parsed from. */
export interface SentBody {
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Uint8Array;
}

/**
 * Parses a request body by its content type: JSON, a form, or text; bytes that are not UTF-8 become base64.
 *
 * @param parseJson - parses text declared as JSON
 * @param parseUntyped - parses text without a content type
 * @throws AppError `BODY_INVALID` when the body does not match its content type, and whatever the parsers throw
 */
export const parseBody = (
  { headers, rawBody }: SentBody,
  parseJson: ParseText,
  parseUntyped: ParseText = parseJson,
): JsonValue => {
  if (rawBody.length === 0) return {};
  // Bodies of webhooks have been inflated, with a limit: see `inflate-body.chunk.ts`. Callbacks take none.
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') refuseBody('it must not be compressed');
  const contentType = headers['content-type'] ?? '';
  const mediaType = toMediaType(contentType);
  const text = decodeUtf8(rawBody);
  if (text !== null && text.length > MAX_CONTROLS) limitControls(text);
  if (isJson(mediaType)) return parseJson(text ?? refuseBody('it is not UTF-8'));
  if (mediaType === FORM) {
    return parseUrlEncoded(text ?? refuseBody('it is not UTF-8'));
  }
  if (text === null) return { base64: Buffer.from(rawBody).toString('base64'), contentType };
  return mediaType === '' ? parseUntyped(text) : text;
};

const FORM = 'application/x-www-form-urlencoded';

/** Whether a body was sent by an HTML form. */
export const isForm = (headers: SentBody['headers']): boolean =>
  toMediaType(headers['content-type'] ?? '') === FORM;

/** Parses JSON, and returns any other text unchanged: RFC 9110 §8.3 lets a recipient examine untyped content. @throws AppError for JSON that is refused */
export const parseOrText = (text: string, parseJson: ParseText): JsonValue => {
  try {
    return parseJson(text);
  } catch (error) {
    const isRefused = isAppError(error, 'BODY_INVALID') && error.parameters.isJson === true;
    if (isAppError(error) && !isRefused) return text;
    throw error;
  }
};

/**
 * Trimmed, lower-case, without parameters (RFC 9110 §8.3.1); of a header that was sent twice, which gateways join, the
 * first. A malformed type stays malformed, so it is not JSON.
 */
export const toMediaType = (contentType: string): string => {
  const [mediaType = ''] = contentType.split(/[;,]/, 1);
  return mediaType.trim().toLowerCase();
};

/** Whether a media type is `application/json` or has the suffix `+json` (RFC 6839 §3.1). */
export const isJson = (mediaType: string): boolean =>
  mediaType === 'application/json' || /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json$/.test(mediaType);

/**
 * Decodes UTF-8; null for other bytes.
 *
 * @param keepsMark - keeps a byte order mark, which RFC 8259 §8.1 allows to drop
 * @param isCut - the bytes may end within a character
 */
export const decodeUtf8 = (
  bytes: Uint8Array,
  { keepsMark = false, isCut = false }: { readonly keepsMark?: boolean; readonly isCut?: boolean } = {},
): string | null => {
  try {
    const decoder =
      keepsMark || isCut ? new TextDecoder('utf-8', { fatal: true, ignoreBOM: keepsMark }) : whole;
    return decoder.decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
};

/** The decoder of whole texts, which keeps nothing between two of them. */
const whole = new TextDecoder('utf-8', { fatal: true });

const refuseBody = (reason: string): never => {
  throw new AppError(BODY_INVALID, { reason });
};

const MAX_CONTROLS = 500_000;

/**
 * Limits the control characters of a body that have no short escape in JSON: each takes six bytes in the record, so a
 * body of 6 MB would become 36 MB.
 *
 * @throws AppError `BODY_INVALID`
 */
export const limitControls = (...texts: readonly string[]): void => {
  if (hasManyControls(...texts))
    throw new AppError(BODY_INVALID, { reason: `it has more than ${MAX_CONTROLS} control characters` });
};

export const hasManyControls = (...texts: readonly string[]): boolean => {
  let length = 0;
  for (const text of texts) length += text.length;
  if (length <= MAX_CONTROLS) return false;
  let controls = 0;
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) if (isLongInJson(text.charCodeAt(at))) controls += 1;
  }
  return controls > MAX_CONTROLS;
};

/** RFC 8259 §7: backspace, tab, line feed, form feed and carriage return have escapes of two characters. */
const isLongInJson = (code: number): boolean => code < 0x20 && (code < 8 || code > 13 || code === 11);
