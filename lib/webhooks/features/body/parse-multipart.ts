import type { JsonObject } from '@hookloom/plugin-kit';
import busboy from 'busboy';
import { getDecoder, parseContentType, parseDisposition } from 'busboy/lib/utils.js';
import { BODY_INVALID, BODY_UNSUPPORTED } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
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

interface SentFile {
  readonly name: string;
  readonly mediaType: string;
  readonly chunks: readonly Uint8Array[];
}

/** A field value, or the index of a file. */
type Part = readonly [name: string, value: string | number];

/**
 * Parses `multipart/form-data` (RFC 7578): an object of fields by name; fields with a file name or of type
 * `application/octet-stream` become files. The bytes are in memory and limited; busboy limits part headers to 16 kB.
 *
 * @throws AppError `BODY_INVALID` for malformed or too many parts, and for names and fields that are not UTF-8;
 *   `BODY_UNSUPPORTED` for a field with an unknown charset
 */
export const parseMultipart = async (request: WebhookRequest): Promise<ParsedBody> => {
  const { parts, files: sent } = await readParts(request);
  const files = sent.map(toFile);
  const texts = [...parts.flat(), ...files.map(({ name }) => name)].filter(
    (text) => typeof text === 'string',
  );
  limitControls(...texts);
  if (hasUndecoded(texts, request.rawBody, files))
    throw new AppError(BODY_INVALID, { reason: 'a name or a field is not UTF-8' });
  return withFiles({ files, toBody: (values) => toBody(parts, values) });
};

interface SentParts {
  readonly parts: readonly Part[];
  readonly files: readonly SentFile[];
}

const readParts = ({ headers, rawBody }: WebhookRequest): Promise<SentParts> =>
  new Promise((resolve, reject) => {
    const parts: Part[] = [];
    const files: SentFile[] = [];
    const parser = createParser(headers, rawBody.length);
    const fail = (error: AppError): void => {
      reject(error);
      parser?.destroy();
    };
    const refuse = (reason: string): void => fail(new AppError(BODY_INVALID, { reason }));
    if (parser === null) return refuse('its content type must be multipart/form-data with a boundary');

    const { count, isUnreadable } = countParts(headers['content-type'] ?? '', rawBody, MAX_PARTS);
    const add = (name: string | undefined, value: Part[1]): void => {
      if (name === undefined) refuse(`part ${parts.length + 1} has no name`);
      else if (name.length > MAX_NAME_LENGTH) refuse(`a name is longer than ${MAX_NAME_LENGTH} characters`);
      else parts.push([name, value]);
    };
    parser.on('field', (name, value: string | undefined) => {
      if (value === undefined)
        fail(new AppError(BODY_UNSUPPORTED, { reason: 'the charset of a field is unknown' }));
      else add(name, value);
    });
    parser.on('file', (name, stream, { filename = '', mimeType }) => {
      const chunks: Uint8Array[] = [];
      add(name, files.length);
      files.push({ name: filename, mediaType: mimeType, chunks });
      stream.on('data', (chunk: Uint8Array) => chunks.push(chunk));
      stream.on('error', () => {}); // the parser emits it as well
    });
    parser.on('fieldsLimit', () => refuse(`it has more than ${MAX_FIELDS} fields`));
    parser.on('filesLimit', () => refuse(`it has more than ${MAX_FILES} files`));
    parser.on('partsLimit', () => refuse(`it has more than ${MAX_PARTS} parts`));
    parser.on('error', () => refuse('a part is malformed or truncated'));
    parser.on('close', () => {
      if (isUnreadable) refuse(`part ${count + 1} has no readable Content-Disposition: form-data`);
      else if (parts.length !== count) refuse('a part is malformed or truncated');
      else resolve({ parts, files });
    });

    for (let at = 0; at < rawBody.length && !parser.destroyed; at += CHUNK_BYTES)
      parser.write(rawBody.subarray(at, at + CHUNK_BYTES));
    if (!parser.destroyed) parser.end();
  });

const toFile = ({ name, mediaType, chunks }: SentFile): BodyFile =>
  toBodyFile(name, mediaType, Buffer.concat(chunks));

/** Creates a parser; null for a content type without a boundary, which busboy refuses. */
const createParser = (headers: WebhookRequest['headers'], bytes: number) => {
  const limits = {
    fields: MAX_FIELDS,
    files: MAX_FILES,
    parts: MAX_PARTS,
    fieldSize: bytes,
    fileSize: bytes + 1,
  };
  try {
    const isMultipart = /^\s*multipart\/form-data\s*;/i.test(headers['content-type'] ?? '');
    return isMultipart ? busboy({ headers, limits, defParamCharset: 'utf8' }) : null;
  } catch {
    return null;
  }
};

const toBody = (parts: readonly Part[], files: readonly JsonObject[]): JsonObject => {
  const fields = createFields();
  for (const [name, value] of parts)
    fields.add(name, typeof value === 'string' ? value : (files[value] ?? null));
  return fields.toObject();
};

/** The longest part headers that busboy reads. */
const MAX_HEADER_BYTES = 16 * 1024;

interface Counted {
  /** Parts with readable headers, up to the first without. */
  readonly count: number;
  /** Whether the next part has no `Content-Disposition: form-data` that busboy can read: busboy would skip that part. */
  readonly isUnreadable: boolean;
}

/**
 * Counts the parts of `multipart/form-data` by the same delimiters and headers as busboy (RFC 2046 §5.1.1, RFC 7578
 * §4.2).
 *
 * @param maxCount - counting stops beyond it
 */
const countParts = (contentType: string, body: Uint8Array, maxCount: number): Counted => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const delimiter = `\r\n--${parseContentType(contentType)?.params.boundary}`;
  const first = delimiter.slice(2);
  let at = bytes.subarray(0, first.length).equals(Buffer.from(first)) ? -2 : bytes.indexOf(delimiter);
  for (let count = 0; ; count += 1) {
    const from = at + delimiter.length;
    const next = at === -1 ? -1 : bytes.indexOf(delimiter, from);
    const isOver = next === -1 || count > maxCount || bytes.toString('latin1', from, from + 2) === '--';
    if (isOver) return { count, isUnreadable: false };
    if (!isFormData(bytes.subarray(from, next))) return { count, isUnreadable: true };
    at = next;
  }
};

/** @param part - including the line break before its headers */
const isFormData = (part: Buffer): boolean => {
  const end = part.indexOf('\r\n\r\n');
  const headers = part.toString('latin1', 0, Math.min(end, MAX_HEADER_BYTES));
  if (end === -1 || !headers.startsWith('\r\n')) return false;
  const [, value = ''] = /\r\ncontent-disposition:[\t ]*((?:[^\r]|\r\n[\t ])*)/i.exec(headers) ?? [];
  return parseDisposition(value.replaceAll('\r\n', ''), getDecoder('utf8'))?.type === 'form-data';
};

/** U+FFFD, with which busboy replaces bytes that are not UTF-8, and its own UTF-8 bytes. */
const REPLACEMENT = '\ufffd';
const [FIRST, SECOND, THIRD] = [0xef, 0xbf, 0xbd];

/**
 * Whether texts of a body have U+FFFD in place of bytes that are not UTF-8: more of them than were sent. File contents
 * may be any bytes and are not counted.
 *
 * @param bytes - of the body
 * @param files - of the body
 */
const hasUndecoded = (texts: readonly string[], bytes: Uint8Array, files: readonly BodyFile[]): boolean => {
  const found = texts.reduce((count, text) => count + countIn(text), 0);
  if (found === 0) return false;
  const inFiles = files.reduce((count, { content }) => count + countInBytes(content), 0);
  return found > countInBytes(bytes) - inFiles;
};

const countIn = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, at + 1)) count += 1;
  return count;
};

const countInBytes = (bytes: Uint8Array): number => {
  let count = 0;
  for (let at = 0; at < bytes.length - 2; at++)
    if (bytes[at] === FIRST && bytes[at + 1] === SECOND && bytes[at + 2] === THIRD) count += 1;
  return count;
};
