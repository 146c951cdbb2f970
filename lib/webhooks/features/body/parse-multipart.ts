import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import busboy from 'busboy';
import { getDecoder, parseContentType, parseDisposition } from 'busboy/lib/utils.js';
import { BODY_INVALID } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import { tryJson } from '../../../shared/try-json.ts';
import { type Bytes, createToName, createToText, readCharset } from '../../decode-text.ts';
import { limitControls } from '../../parse-body.ts';
import { createFields } from '../../parse-url-encoded.ts';
import type { WebhookRequest } from '../../webhook.ts';
import type { BodyFile, ParsedBody } from '../../webhook-feature.ts';
import { toBodyFile, withFiles } from './file-body.ts';

const MAX_FIELDS = 1_000;
const MAX_FILES = 20;
const MAX_PARTS = MAX_FIELDS + MAX_FILES;
const MAX_NAME_LENGTH = 200;
/** The body is fed to the parser in chunks, so that a body refused early is not parsed to its end. */
const CHUNK_BYTES = 65_536;

/** A part as busboy reads it. Names are bytes, as characters of Latin 1. */
interface SentPart {
  readonly name: string;
  /** Null for a field. */
  readonly file: Pick<BodyFile, 'name' | 'mediaType'> | null;
}

/** A field: its value, or the index of a file. */
type Field = readonly [name: string, value: string | Bytes | number];

/**
 * Parses `multipart/form-data` (RFC 7578): an object of fields by name; fields with a file name or of type
 * `application/octet-stream` become files, unless no file was chosen. The bytes are in memory and limited; busboy limits
 * part headers to 16 kB.
 *
 * A field has the charset of its part, or else the one that the form names: in `charsets`, as SendGrid does, or in
 * `_charset_`, as browsers do. Without one it is UTF-8. What can't be decoded stays bytes.
 *
 * @param nest - makes the body of the fields
 * @throws AppError `BODY_INVALID` for malformed or too many parts
 */
export const parseMultipart = async (
  request: WebhookRequest,
  nest: (fields: JsonObject) => JsonObject,
): Promise<ParsedBody> => {
  const contentType = quoteBoundary(request.headers['content-type'] ?? '');
  const { parts, contents } = await readParts({
    ...request,
    headers: { ...request.headers, 'content-type': contentType },
  });
  const ofForm = findCharset(request, parts, contents);
  const ofFields = readCharsets(findField('charsets', parts, contents));
  const toName = createToName(ofForm);
  const decodeName = (sent: string) =>
    BEYOND_LATIN_1.test(sent) ? sent : toName(Buffer.from(sent, 'latin1'));
  const files: BodyFile[] = [];
  const fields = parts.flatMap(({ name: sent, file }, at): Field[] => {
    const { bytes, charset, isNoFile } = contents[at] ?? NO_CONTENT;
    if (isNoFile) return [];
    const name = decodeName(sent);
    if (file === null) return [[name, createToText([charset, ofFields.get(name), ofForm])(bytes)]];
    files.push(toBodyFile(decodeName(file.name), file.mediaType, bytes));
    return [[name, files.length - 1]];
  });
  if (files.length > MAX_FILES) throw tooMany(MAX_FILES, 'files');
  limitControls(
    ...[...fields.flat(), ...files.map(({ name }) => name)].filter((text) => typeof text === 'string'),
  );
  return withFiles({ files, toBody: (values) => nest(toBody(fields, values)) });
};

/**
 * Quotes a boundary with characters that RFC 2046 §5.1.1 allows but RFC 9110 wants in quotes, such as `/`, `=` and `:`: some
 * senders don't, and busboy refuses it.
 */
const quoteBoundary = (contentType: string): string =>
  contentType.replace(/(;\s*boundary=)([\w'()+,./:=?-]{1,70})(?=\s*(?:;|$))/i, '$1"$2"');

/** Of a name that busboy has decoded: `filename*`. */
const BEYOND_LATIN_1 = /[^\0-\xff]/;

const tooMany = (limit: number, what: string): AppError =>
  new AppError(BODY_INVALID, { reason: `it has more than ${limit} ${what}` });

/** The text of a field in ASCII; empty if there is none. */
const findField = (name: string, parts: readonly SentPart[], contents: readonly Content[]): string => {
  const at = parts.findIndex((part) => part.name === name && part.file === null);
  return Buffer.from(contents[at]?.bytes ?? []).toString();
};

/** The charset of fields that do not name one themselves: RFC 7578 §4.6. */
const findCharset = (
  { headers }: WebhookRequest,
  parts: readonly SentPart[],
  contents: readonly Content[],
): string | undefined =>
  findField('_charset_', parts, contents) || readCharset(headers['content-type'] ?? '');

/** Charsets by the name of a field: https://www.twilio.com/docs/sendgrid/for-developers/parsing-email/setting-up-the-inbound-parse-webhook */
const readCharsets = (text: string): ReadonlyMap<string, string> => {
  const charsets = tryJson(text);
  const entries = Object.entries(isPlainObject(charsets) ? charsets : {});
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
};

const readParts = ({ headers, rawBody }: WebhookRequest) =>
  new Promise<{ readonly parts: readonly SentPart[]; readonly contents: readonly Content[] }>(
    (resolve, reject) => {
      const parts: SentPart[] = [];
      const parser = createParser(headers, rawBody.length);
      const fail = (error: AppError): void => {
        reject(error);
        parser?.destroy();
      };
      const refuse = (reason: string): void => fail(new AppError(BODY_INVALID, { reason }));
      if (parser === null) return refuse('its content type must be multipart/form-data with a boundary');

      const { contents, isUnreadable } = listContents(headers['content-type'] ?? '', rawBody, MAX_PARTS);
      const add = (name: string | undefined, file: SentPart['file']): void => {
        if (name === undefined) refuse(`part ${parts.length + 1} has no name`);
        else if (name.length > MAX_NAME_LENGTH) refuse(`a name is longer than ${MAX_NAME_LENGTH} characters`);
        else parts.push({ name, file });
      };
      parser.on('field', (name) => add(name, null));
      parser.on('file', (name, stream, { filename = '', mimeType }) => {
        add(name, { name: filename, mediaType: mimeType });
        stream.on('error', () => {}); // the parser emits it as well
        stream.resume();
      });
      parser.on('fieldsLimit', () => fail(tooMany(MAX_FIELDS, 'fields')));
      parser.on('partsLimit', () => fail(tooMany(MAX_PARTS, 'parts')));
      parser.on('error', () => refuse('a part is malformed or truncated'));
      parser.on('close', () => {
        if (isUnreadable)
          refuse(`part ${contents.length + 1} has no readable Content-Disposition: form-data`);
        else if (parts.length !== contents.length) refuse('a part is malformed or truncated');
        else resolve({ parts, contents });
      });

      for (let at = 0; at < rawBody.length && !parser.destroyed; at += CHUNK_BYTES)
        parser.write(rawBody.subarray(at, at + CHUNK_BYTES));
      if (!parser.destroyed) parser.end();
    },
  );

/** Creates a parser; null for a content type without a boundary, which busboy refuses. */
const createParser = (headers: WebhookRequest['headers'], bytes: number) => {
  const limits = { fields: MAX_FIELDS, parts: MAX_PARTS, fieldSize: bytes, fileSize: bytes + 1 };
  try {
    const isMultipart = /^\s*multipart\/form-data\s*;/i.test(headers['content-type'] ?? '');
    return isMultipart ? busboy({ headers, limits, defParamCharset: 'latin1' }) : null;
  } catch {
    return null;
  }
};

const toBody = (parts: readonly Field[], files: readonly JsonObject[]): JsonObject => {
  const fields = createFields();
  for (const [name, value] of parts)
    fields.add(name, typeof value === 'number' ? (files[value] ?? null) : value);
  return fields.toObject();
};

/** The longest part headers that busboy reads. */
const MAX_HEADER_BYTES = 16 * 1024;

/** The content of a part, with what its headers say about it. */
interface Content {
  readonly bytes: Uint8Array;
  readonly charset: string | undefined;
  /** The part is a file input in which no file was chosen: https://html.spec.whatwg.org/#constructing-the-form-data-set */
  readonly isNoFile: boolean;
}

const NO_CONTENT: Content = { bytes: new Uint8Array(), charset: undefined, isNoFile: false };

/**
 * Lists the parts of `multipart/form-data` by the same delimiters and headers as busboy (RFC 2046 §5.1.1, RFC 7578
 * §4.2).
 *
 * @param maxCount - listing stops beyond it
 * @returns the contents of parts up to the first that `isUnreadable`: one without a `Content-Disposition: form-data` that
 *   busboy can read, which busboy would skip
 */
const listContents = (contentType: string, body: Uint8Array, maxCount: number) => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const delimiter = `\r\n--${parseContentType(contentType)?.params.boundary}`;
  const first = delimiter.slice(2);
  const contents: Content[] = [];
  let at = bytes.subarray(0, first.length).equals(Buffer.from(first)) ? -2 : bytes.indexOf(delimiter);
  for (;;) {
    const from = at + delimiter.length;
    const next = at === -1 ? -1 : bytes.indexOf(delimiter, from);
    const isOver =
      next === -1 || contents.length > maxCount || bytes.toString('latin1', from, from + 2) === '--';
    if (isOver) return { contents, isUnreadable: false };
    const content = readContent(bytes.subarray(from, next));
    if (content === null) return { contents, isUnreadable: true };
    contents.push(content);
    at = next;
  }
};

/** @param part - including the line break before its headers */
const readContent = (part: Buffer): Content | null => {
  const end = part.indexOf('\r\n\r\n');
  const headers = part.toString('latin1', 0, Math.min(end, MAX_HEADER_BYTES));
  if (end === -1 || !headers.startsWith('\r\n')) return null;
  const disposition = parseDisposition(findHeader(DISPOSITION, headers), getDecoder('latin1'));
  if (disposition?.type !== 'form-data') return null;
  const { params } = disposition;
  const bytes = part.subarray(end + 4);
  return {
    bytes,
    charset: readCharset(findHeader(TYPE, headers)),
    isNoFile: bytes.length === 0 && params?.filename === '' && params['filename*'] === undefined,
  };
};

const DISPOSITION = /\r\ncontent-disposition:[\t ]*((?:[^\r]|\r\n[\t ])*)/i;
const TYPE = /\r\ncontent-type:[\t ]*((?:[^\r]|\r\n[\t ])*)/i;

const findHeader = (header: RegExp, headers: string): string =>
  (header.exec(headers)?.[1] ?? '').replaceAll('\r\n', '');
