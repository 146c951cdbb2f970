import {
  type Files,
  type FileValue,
  isFileValue,
  isPlainObject,
  isToken,
  type JsonObject,
  type JsonValue,
} from '@hookloom/plugin-kit';
import type { ExecutionResult } from '../engine/result.ts';
import type { Answer } from '../shared/answer.ts';
import { RESPONSE_INVALID } from '../shared/error-catalogue.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import { answerRun } from './answer-run.ts';

/** Maximum number of cookies, more than a browser keeps per site. */
const MAX_COOKIES = 50;
const COOKIE_NAME = /^[^=;\s]+(?==)/;
const PRINTABLE = /^[\x20-\x7e]+$/;

/**
 * Answers with a response that sets cookies (`setCookie`), or whose body is a file of the execution; the file is sent
 * as bytes. Any plugin can emit such a response, so every field is validated.
 *
 * @param openFiles - opens the execution's files
 * @throws AppError `RESPONSE_INVALID`
 */
export const answerSpecially = async (
  executionId: string,
  result: ExecutionResult & { readonly response: JsonObject },
  openFiles: () => Pick<Files, 'open'>,
): Promise<Answer> => {
  const { setCookie = [], ...response } = result.response;
  if (!Array.isArray(setCookie) || setCookie.length > MAX_COOKIES || !setCookie.every(isCookie))
    throw new AppError(RESPONSE_INVALID, { executionId, reason: 'one of its cookies is invalid' });
  const cookies = setCookie.length === 0 ? {} : { cookies: setCookie };
  const { body = null } = response;
  const file = isOwnFile(body, executionId) ? body : null;
  const plain = file === null ? response : withoutFile(response, file);
  const answer = answerRun(executionId, { ...result, response: plain }, 'responseNode');
  return file === null || answer.body === null
    ? { ...answer, ...cookies }
    : { ...(await inlineFile(answer, file, executionId, openFiles())), ...cookies };
};

/** Matches the start of a `Set-Cookie` value: a name and `=` (RFC 6265 §4.1.1). */
const isCookie = (value: unknown): value is string =>
  typeof value === 'string' && PRINTABLE.test(value) && isToken(COOKIE_NAME.exec(value)?.[0] ?? '');

/**
 * Whether a body is a file value of this execution: one of another execution, or sent by a caller, is ordinary data.
 */
const isOwnFile = (body: JsonValue, executionId: string): body is FileValue =>
  isFileValue(body) && body.$file.startsWith(`${executionId}/`);

/**
 * The response without the file, but with its content type, which decides about sandboxing. Headers set by the node
 * take precedence.
 */
const withoutFile = (response: JsonObject, file: FileValue): JsonObject => {
  const { headers = {} } = response;
  const { mediaType } = file;
  // A file value may contain external data.
  const contentType = PRINTABLE.test(mediaType) ? mediaType : 'application/octet-stream';
  const own = { 'content-type': contentType, 'content-disposition': toDisposition(file) };
  return {
    ...response,
    headers: isPlainObject(headers) ? { ...own, ...headers } : headers,
    body: '',
  };
};

/** Maximum size of a file in a response: base64 adds a third, and Lambda limits a response to 6 MB. */
const MAX_FILE_BYTES = 4_500_000;

const UNSAFE_IN_QUOTES = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/g;

/**
 * Makes a file's bytes the body of an answer.
 *
 * @param files - files of the execution that produced the answer
 * @throws AppError `RESPONSE_INVALID` when the file is too large or can't be read. The run has taken place, so the
 *   error must not invite a retry
 */
export const inlineFile = async (
  answer: Answer,
  file: FileValue,
  executionId: string,
  files: Pick<Files, 'open'>,
): Promise<Answer> => {
  const bytes = await readAnswerFile(file, executionId, files);
  return { ...answer, body: bytes.toString('base64'), isBase64: true };
};

const readAnswerFile = async (
  file: FileValue,
  executionId: string,
  files: Pick<Files, 'open'>,
): Promise<Buffer> => {
  const refuse = (reason: string, cause?: unknown) =>
    new AppError(RESPONSE_INVALID, { executionId, reason }, cause);
  if (file.size > MAX_FILE_BYTES) throw refuse(`its file is larger than ${MAX_FILE_BYTES} bytes`);
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of await files.open(file)) chunks.push(chunk);
  } catch (error) {
    const code = isAppError(error) ? error.code : 'INTERNAL';
    throw refuse(`its file can't be read (${code})`, error);
  }
  return Buffer.concat(chunks);
};

/**
 * The `content-disposition` of a file (RFC 6266). HTML is an attachment, since a caller may have sent it;
 * `answerWithResponse` does the same for every type that is not on its list.
 */
export const toDisposition = ({ name, mediaType }: FileValue): string =>
  `${/html/i.test(mediaType) ? 'attachment' : 'inline'}; filename="${name.replace(UNSAFE_IN_QUOTES, '_')}"; filename*=UTF-8''${encodeFileName(name)}`;

/** RFC 8187 §3.2.1: `encodeURIComponent` does not encode `'()*`. Lone surrogates can't be encoded as UTF-8. */
const encodeFileName = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
