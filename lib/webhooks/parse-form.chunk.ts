import querystring from 'node:querystring';
import type { JsonObject } from '@hookloom/plugin-kit';
import { createToName, createToText, readCharset } from './decode-text.ts';
import { limitControls } from './parse-body.ts';
import { parseUrlEncoded } from './parse-url-encoded.ts';
import type { WebhookRequest } from './webhook.ts';

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
export const parseForm = ({ headers, rawBody }: Pick<WebhookRequest, 'headers' | 'rawBody'>): JsonObject => {
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
