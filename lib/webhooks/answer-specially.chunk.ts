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
import { AppError } from '../shared/errors.ts';
import { answerRun } from './answer-run.ts';
import { inlineFile, toDisposition } from './inline-file.ts';

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
