import type { JsonObject } from '@hookloom/plugin-kit';
import busboy from 'busboy';
import { BODY_INVALID, BODY_UNSUPPORTED } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import type { BodyFile } from '../../body/body-files.ts';
import { createFields } from '../../body/fields.ts';
import { limitControls } from '../../body/limit-controls.ts';
import type { WebhookRequest } from '../../webhook.ts';
import type { ParsedBody } from '../../webhook-feature.ts';
import { countParts } from './count-parts.ts';
import { toBodyFile, withFiles } from './file-body.ts';
import { hasUndecoded } from './has-undecoded.ts';

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
