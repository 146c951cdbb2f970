import { asFinal } from '../contract/errors.ts';
import { type Files, type FileValue, isFileValue } from '../contract/files.ts';
import type { JsonObject, JsonValue } from '../contract/json.ts';
import type { Purity } from '../contract/plugin.ts';
import { wrongParameter } from '../declare/read-parameters.ts';

/** A node that reads or writes a file is a step, since a file may have expired before a replay. */
export const pureWithoutFile: Purity = ({ file, to = 'text' }: JsonObject) =>
  file === undefined && to === 'text';

/** @throws TypeError if the value is not a file, or a text is given in addition */
export const readSource = (file: JsonValue, text: string | undefined, name = 'text'): FileValue => {
  if (!isFileValue(file)) throw wrongParameter('file', 'a file', file);
  if (text !== undefined) throw asFinal(new TypeError(`Parameter "${name}" cannot be combined with "file"`));
  return file;
};

/**
 * Reads a file as text.
 *
 * @param maxBytes - maximum size of the file
 * @throws RangeError if it is too large or not UTF-8; AppError `FILE_*` | `STORE_UNAVAILABLE`
 */
export const readTextFile = async (file: FileValue, files: Files, maxBytes: number): Promise<string> => {
  if (file.size > maxBytes)
    throw asFinal(
      new RangeError(`Parameter "file" has ${file.size} bytes, more than the ${maxBytes} allowed`),
    );
  const chunks: Uint8Array[] = [];
  for await (const chunk of await files.open(file)) chunks.push(chunk);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw asFinal(new RangeError('Parameter "file" is not UTF-8', { cause }));
  }
};
