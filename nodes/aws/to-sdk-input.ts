import { Readable } from 'node:stream';
import {
  type Files,
  type FileValue,
  isFileValue,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  NodeError,
} from '@hookloom/plugin-kit';

/** Smaller files are sent as bytes: not all operations take a stream, and none of those takes more. */
const MAX_BYTES_IN_MEMORY = 6_291_456;
/** The base64 alphabet of RFC 4648 §4. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The SDK's input for a JSON one: `{ $base64 }` becomes bytes, `{ $date }` a Date, a file its content.
 *
 * @throws NodeError that names the place of a value that is neither
 * @throws AppError of {@link Files}
 */
export const toSdkInput = async (input: JsonObject, files: Files): Promise<Record<string, unknown>> => {
  const convert = async (value: JsonValue, place: string): Promise<unknown> => {
    if (Array.isArray(value)) return convertAll(value, place);
    if (!isPlainObject(value)) return value;
    if (isFileValue(value)) return openFile(value, files);
    const keys = Object.keys(value);
    if (keys.length === 1 && keys[0] === '$base64') return readBase64(value.$base64, place);
    if (keys.length === 1 && keys[0] === '$date') return readDate(value.$date, place);
    return convertFields(value, place);
  };
  const convertAll = async (values: readonly JsonValue[], place: string): Promise<unknown[]> => {
    const converted: unknown[] = [];
    for (const [index, value] of values.entries()) converted.push(await convert(value, `${place}[${index}]`));
    return converted;
  };
  const convertFields = async (fields: JsonObject, place: string): Promise<Record<string, unknown>> => {
    const converted: [string, unknown][] = [];
    for (const [name, value] of Object.entries(fields))
      converted.push([name, await convert(value, `${place}.${name}`)]);
    return Object.fromEntries(converted);
  };
  return { ...lengthOf(input), ...(await convertFields(input, 'input')) };
};

/** Size of a streamed body, which S3 has to know before. Operations without such a field leave it out. */
const lengthOf = (input: JsonObject): { readonly ContentLength?: number } => {
  const file = Object.values(input).find(isFileValue);
  return file === undefined ? {} : { ContentLength: file.size };
};

const openFile = async (file: FileValue, files: Files): Promise<unknown> => {
  const content = await files.open(file);
  if (file.size > MAX_BYTES_IN_MEMORY) return Readable.from(content, { objectMode: false });
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const readBase64 = (text: JsonValue | undefined, place: string): Uint8Array => {
  if (typeof text === 'string' && BASE64.test(text)) return Buffer.from(text, 'base64');
  throw wrongInput(`${place}.$base64`, 'base64');
};

const readDate = (text: JsonValue | undefined, place: string): Date => {
  const date = new Date(typeof text === 'string' ? text : Number.NaN);
  if (!Number.isNaN(date.getTime())) return date;
  throw wrongInput(`${place}.$date`, 'a time such as 2026-01-31T12:00:00Z');
};

const wrongInput = (place: string, what: string): NodeError =>
  new NodeError(`Parameter "${place}" must be ${what}`, { name: 'InputInvalid', isRetryable: false });
