import {
  asFinal,
  type Files,
  type FileValue,
  findHeaderProblem,
  fromAttempt,
  isFileValue,
  isJsonMap,
  isServiceError,
  type JsonObject,
  type JsonValue,
  type NodeContext,
  type OutboundRequest,
  type OutboundResponse,
  readErrorStart,
  readParameters,
  type Services,
  toStatusError,
  toTraceHeaders,
  wrongParameter,
} from '@hookloom/plugin-kit';
import { rules } from './properties.ts';

export type Parameters = ReturnType<typeof readRules>;

/** @throws TypeError or RangeError that names the parameter, without its value */
export const readRules = (parameters: JsonObject) => readParameters(parameters, rules);

/**
 * Sends the node's request to a URL.
 * @param page - counted from 1; null without pagination
 * @throws NodeError if the status is a failure, or AppError `OUTBOUND_*`
 */
type Send = (url: string, page: number | null) => Promise<OutboundResponse>;

/** @throws TypeError that names the wrong parameter, before anything is sent */
export const createSend = (given: Parameters, context: NodeContext): Send => {
  const { services, idempotencyKey } = context;
  const isSuccess = parseStatusSet('successStatus', given.successStatus);
  const isRetryable = parseStatusSet('retryStatus', given.retryStatus);
  const { method, maxRedirects, failOnStatus } = given;
  const receiving =
    given.responseType === 'file'
      ? ({ maxResponseBytes: given.maxFileBytes, streamsBody: true } as const)
      : { maxResponseBytes: given.maxResponseBytes };
  const headers = { ...toTraceHeaders(context), ...readHeaders(given.headers) };
  return async (url, page) => {
    const { contentType, ...body } = toRequestBody(given, services);
    const response = await services.http.request({
      method,
      url,
      headers: {
        ...(contentType === null ? {} : { 'content-type': contentType }),
        ...(given.idempotencyKey ? { 'idempotency-key': toPageKey(idempotencyKey, page) } : {}),
        ...headers,
      },
      ...body,
      ...receiving,
      ...fromAttempt(context),
      maxRedirects,
    });
    const { status } = response;
    if (!failOnStatus || isSuccess(status)) return response;
    const start = response.stream === null ? response.body : await readErrorStart(response.stream);
    throw toStatusError(
      { ...response, body: start },
      { isRetryable: isRetryable(status), now: services.clock.now(), page },
    );
  };
};

/**
 * Returns the idempotency key of a page: to the receiver, each page is a separate request, which is the same in every
 * attempt.
 */
const toPageKey = (key: string, page: number | null): string =>
  page === null || page === 1 ? key : `${key}/page-${page}`;

const readHeaders = (headers: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (typeof value !== 'string') throw wrongParameter(`headers.${name}`, 'a string', value);
      return [name.toLowerCase(), value];
    }),
  );

/**
 * Makes the body of one request. If it contains files, it is a stream, which is read once.
 * @throws TypeError that names the parameter
 */
const toRequestBody = (
  { body, bodyType }: Pick<Parameters, 'body' | 'bodyType'>,
  { files, ids }: Pick<Services, 'files' | 'ids'>,
) => {
  if (body === undefined || body === null) return { body: null, contentType: null };
  switch (bodyType) {
    case 'json':
      return { body: JSON.stringify(body), contentType: 'application/json' };
    case 'text':
      if (typeof body !== 'string') throw wrongParameter('body', 'a string', body);
      return { body, contentType: 'text/plain; charset=utf-8' };
    case 'form':
      return { body: toForm(toMap(body)), contentType: 'application/x-www-form-urlencoded' };
    case 'multipart':
      return toMultipart(toMap(body), files, ids.next());
    case 'file':
      if (!isFileValue(body)) throw wrongParameter('body', 'a file', body);
      return { body: streamFile(body, files), bodyBytes: body.size, contentType: toMediaType(body) };
  }
};

const toMap = (body: JsonValue): JsonObject => {
  if (!isJsonMap(body)) throw wrongParameter('body', 'a map', body);
  return body;
};

const toForm = (body: JsonObject): string => {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== null && typeof item === 'object')
        throw wrongParameter(`body.${name}`, 'a text or a number', item);
      form.append(name, item === null ? '' : String(item));
    }
  }
  return form.toString();
};

/** A piece of a body: text that is sent unchanged, or a file. */
type Piece = Uint8Array | FileValue;

/**
 * Fields and files as `multipart/form-data` (RFC 7578); a list repeats the name.
 *
 * @param boundary - random, so that no content holds it
 * @throws TypeError that names the field
 */
const toMultipart = (
  body: JsonObject,
  files: Files,
  boundary: string,
): Required<Pick<OutboundRequest, 'body' | 'bodyBytes'>> & { readonly contentType: string } => {
  const pieces = [
    ...Object.entries(body).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).flatMap((item) => {
        const start = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;
        if (isFileValue(item)) {
          const head = `${start}; filename="${escapeName(item.name)}"\r\nContent-Type: ${toMediaType(item)}\r\n\r\n`;
          return [toBytes(head), item, toBytes('\r\n')];
        }
        if (item !== null && typeof item === 'object')
          throw wrongParameter(`body.${name}`, 'a text, a number or a file', item);
        return [toBytes(`${start}\r\n\r\n${item ?? ''}\r\n`)];
      }),
    ),
    toBytes(`--${boundary}--\r\n`),
  ];
  return {
    body: streamPieces(pieces, files),
    bodyBytes: pieces.reduce((sum, piece) => sum + (isBytes(piece) ? piece.byteLength : piece.size), 0),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
};

const streamPieces = async function* (pieces: readonly Piece[], files: Files): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (isBytes(piece)) yield piece;
    else yield* streamFile(piece, files);
  }
};

const isBytes = (piece: Piece): piece is Uint8Array => piece instanceof Uint8Array;

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Documented at https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
const escapeName = (name: string): string =>
  name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');

/** The bytes of a file, which is opened only when they are read. */
export const streamFile = async function* (file: FileValue, files: Files): AsyncGenerator<Uint8Array> {
  yield* await files.open(file);
};

/**
 * Returns the media type of a file. Its value may come with data from outside, so it must not be able to add a header
 * line.
 */
const toMediaType = ({ mediaType }: FileValue): string =>
  mediaType !== '' && findHeaderProblem('content-type', mediaType) === null
    ? mediaType
    : 'application/octet-stream';

/**
 * Saves a response as a file of the execution. A download that can't be stored may be tried again, unless its method may
 * have changed something.
 *
 * @throws AppError `FILE_TOO_LARGE` | `STORE_UNAVAILABLE` | `OUTBOUND_*`
 */
export const saveBody = async (
  response: OutboundResponse,
  method: string,
  files: Files,
): Promise<FileValue> => {
  const mediaType = response.headers['content-type'] ?? '';
  try {
    return await files.save(streamBody(response), { name: findFileName(response), mediaType });
  } catch (error) {
    const isOfExchange =
      isServiceError(error, 'OUTBOUND_FAILED') || isServiceError(error, 'OUTBOUND_TIMEOUT');
    throw isOfExchange || SAFE.test(method) || !(error instanceof Error) ? error : asFinal(error);
  }
};

/** RFC 9110 §9.2.1. */
const SAFE = /^(?:GET|HEAD)$/i;

const streamBody = async function* ({ stream, body }: OutboundResponse): AsyncGenerator<Uint8Array> {
  yield* stream ?? [body];
};

const EXTENDED = /;\s*filename\*\s*=\s*utf-8'[\w-]*'([^\s;"]+)/i;
const PLAIN = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i;

/** The name of a downloaded file: from `Content-Disposition` (RFC 6266), or else the last part of the URL's path. */
export const findFileName = ({ headers, url }: Pick<OutboundResponse, 'headers' | 'url'>): string => {
  const disposition = headers['content-disposition'] ?? '';
  const [, extended = ''] = EXTENDED.exec(disposition) ?? [];
  const [, quoted, plain = ''] = PLAIN.exec(disposition) ?? [];
  const given = decodePercentOrKeep(extended) || (quoted?.replaceAll(/\\(.)/g, '$1') ?? plain);
  return given || decodePercentOrKeep(new URL(url).pathname.split('/').at(-1) ?? '');
};

/** Decodes a percent-encoded text. @returns the text itself if it is not percent-encoded UTF-8 */
const decodePercentOrKeep = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * Parses a list of status codes (`404`) and ranges of them (`"200-299"`).
 * @param name - name of the parameter, for errors
 * @returns whether a status is one of them
 * @throws TypeError that names the item
 */
export const parseStatusSet = (name: string, list: readonly JsonValue[]): ((status: number) => boolean) => {
  const ranges: { readonly first: number; readonly last: number }[] = [];
  for (const [index, item] of list.entries()) {
    const range = toRange(item);
    if (range === null)
      throw wrongParameter(`${name}/${index}`, 'a status such as 404 or a range such as "200-299"', item);
    ranges.push(range);
  }
  return (status) => {
    for (const { first, last } of ranges) if (status >= first && status <= last) return true;
    return false;
  };
};

const RANGE = /^([1-9]\d\d)(?:-([1-9]\d\d))?$/;

const toRange = (item: JsonValue) => {
  if (typeof item !== 'string' && typeof item !== 'number') return null;
  const [, from, to = from] = RANGE.exec(String(item)) ?? [];
  const [first, last] = [Number(from), Number(to)];
  return first <= last ? { first, last } : null; // false for NaN
};
