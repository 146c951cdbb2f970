import {
  type Files,
  type FileValue,
  isFileValue,
  type JsonValue,
  wrongParameter,
} from '@hookloom/plugin-kit';
import type { Attachment } from './question.ts';

/** Of all files of a question: they are held in memory, as bytes and as base64. */
const MAX_BYTES = 10 * 1024 * 1024;

const mediaTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'];

/**
 * Reads the files of a question.
 *
 * @throws TypeError or RangeError for what is no file, a type that the models do not take, and too many bytes
 * @throws AppError `FILE_*` | `STORE_UNAVAILABLE`
 */
export const readAttachments = async (
  list: readonly JsonValue[],
  files: Files,
): Promise<readonly Attachment[]> => {
  const values = list.map(checkFile);
  // Verified while it is read: a file has the size that its value says.
  if (values.reduce((bytes, { size }) => bytes + size, 0) > MAX_BYTES)
    throw new RangeError(`Parameter "files" has more than ${MAX_BYTES} bytes; send fewer or smaller files`);
  const attachments: Attachment[] = [];
  for (const file of values) {
    const { mediaType, name } = file;
    attachments.push({ mediaType, name, bytes: await readAll(await files.open(file)) });
  }
  return attachments;
};

const checkFile = (value: JsonValue, index: number): FileValue => {
  if (!isFileValue(value)) throw wrongParameter(`files[${index}]`, 'a file', value);
  if (!mediaTypes.includes(value.mediaType))
    throw new TypeError(`Parameter "files[${index}]" must be one of ${mediaTypes.join(', ')}`);
  return value;
};

const readAll = async (content: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
};
