import type { Files, FileValue } from '@hookloom/plugin-kit';
import type { Answer } from '../shared/answer.ts';
import { RESPONSE_INVALID } from '../shared/error-catalogue.ts';
import { AppError, isAppError } from '../shared/errors.ts';

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
  const bytes = await readAll(file, executionId, files);
  return { ...answer, body: bytes.toString('base64'), isBase64: true };
};

const readAll = async (file: FileValue, executionId: string, files: Pick<Files, 'open'>): Promise<Buffer> => {
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
  `${/html/i.test(mediaType) ? 'attachment' : 'inline'}; filename="${name.replace(UNSAFE_IN_QUOTES, '_')}"; filename*=UTF-8''${encode(name)}`;

/** RFC 8187 §3.2.1: `encodeURIComponent` does not encode `'()*`. Lone surrogates can't be encoded as UTF-8. */
const encode = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
