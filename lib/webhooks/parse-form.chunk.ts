import querystring from 'node:querystring';
import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { createToName, createToText, readCharset } from './decode-text.ts';
import { decodeUtf8, limitControls, parseBody, type SentBody } from './parse-body.ts';
import { parseUrlEncoded } from './parse-url-encoded.ts';

/** Missing in Node's types. Malformed sequences are kept. */
const { unescapeBuffer } = querystring as unknown as { unescapeBuffer(latin1: string): Uint8Array };

/** The charset of an HTML form: https://html.spec.whatwg.org/#constructing-the-form-data-set */
const CHARSET = /(?:^|&)_charset_=([\w.:-]{1,40})(?:&|$)/;

/**
 * Parses a form in the charset that the field `_charset_` or the content type names, else UTF-8. A value that can't be
 * decoded is `{ base64 }`.
 *
 * @throws AppError `BODY_INVALID` as {@link parseUrlEncoded}
 */
export const parseForm = ({ headers, rawBody }: SentBody): JsonObject => {
  const sent = Buffer.from(rawBody.buffer, rawBody.byteOffset, rawBody.length).toString('latin1');
  limitControls(sent);
  const [, ofForm] = CHARSET.exec(sent) ?? [];
  const charset = readCharset(headers['content-type'] ?? '');
  const [toName, toText] = [createToName(ofForm ?? charset), createToText([ofForm, charset])];
  return parseUrlEncoded(
    sent,
    (name) => toName(unescapeBuffer(name)),
    (value) => toText(unescapeBuffer(value)),
  );
};

/** A form of a webhook without features; most are in UTF-8, which takes less time. Throws as {@link parseBody}. */
export const parsePlainForm = (content: SentBody): JsonValue =>
  isOddForm(content) ? parseForm(content) : parseBody(content, (text) => text);

/** Whether a form says that it has another charset than UTF-8, or has bytes that are not UTF-8. */
const isOddForm = ({ headers, rawBody }: SentBody): boolean => {
  if (headers['content-encoding'] !== undefined) return false;
  const text = decodeUtf8(rawBody);
  try {
    return (
      text === null ||
      /charset="?(?!"|utf-?8)/i.test(headers['content-type'] ?? '') ||
      text.includes('_charset_=') ||
      decodeURIComponent(text) === ''
    );
  } catch {
    return true; // malformed, or not UTF-8
  }
};
