import { type Files, type FileValue, isFileValue } from '../contract/files.ts';
import type { JsonObject, JsonValue } from '../contract/json.ts';
import type { Purity } from '../contract/plugin.ts';
import { wrongParameter } from '../declare/read-parameters.ts';

/** A node that reads a file, or writes one, is a step: a file may have expired before a replay. */
export const pureWithoutFile: Purity = ({ file, to = 'text' }: JsonObject) =>
  file === undefined && to === 'text';

/** @throws TypeError for a value that is no file, and for a text beside it */
export const readSource = (file: JsonValue, text: string | undefined, name = 'text'): FileValue => {
  if (!isFileValue(file)) throw wrongParameter('file', 'a file', file);
  if (text !== undefined) throw new TypeError(`Parameter "${name}" must be absent beside "file"`);
  return file;
};

/**
 * Reads a file as text.
 *
 * @param maxBytes - of the file
 * @throws RangeError for one that is too large, or not in UTF-8; AppError `FILE_*` | `STORE_UNAVAILABLE`
 */
export const readTextFile = async (file: FileValue, files: Files, maxBytes: number): Promise<string> => {
  if (file.size > maxBytes)
    throw new RangeError(`Parameter "file" has ${file.size} bytes, more than the ${maxBytes} allowed`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of await files.open(file)) chunks.push(chunk);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new RangeError('Parameter "file" is not in UTF-8', { cause });
  }
};
