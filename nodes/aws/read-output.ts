import { Readable } from 'node:stream';
import { type Files, type JsonObject, type JsonValue, NodeError } from '@hookloom/plugin-kit';
import type { AwsParameters, BytesAs } from './aws-parameters.ts';
import { limitStream, readStream, tooLarge } from './streams.ts';

type SdkOutput = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 100;

/**
 * Reads an output of the SDK as JSON: a Date as ISO 8601, bytes and streams as `bytesAs` says, a list of events for a
 * stream of them, a number that JSON does not have as text.
 *
 * @throws NodeError when a stream breaks, or bytes are not what `bytesAs` says
 * @throws AppError of {@link Files}
 */
export const readOutput = (given: AwsParameters, output: SdkOutput, files: Files): Promise<JsonObject> => {
  const { service, operation, bytesAs, maxFileBytes, maxOutputBytes } = given;
  const call = `${service} ${operation}`;

  const readBytes = async (content: Uint8Array | Readable, place: string): Promise<JsonValue> => {
    const isStream = content instanceof Readable;
    if (bytesAs === 'file' || (bytesAs === 'auto' && isStream)) {
      const stream = limitStream(isStream ? content : [content], maxFileBytes, `${call}: ${place}`);
      return files.save(stream, toFileInfo(given, output));
    }
    const bytes = isStream ? await readStream(content, maxOutputBytes, `${call}: ${place}`) : content;
    return decode(bytes, bytesAs, `${call}: ${place}`);
  };

  const readEvents = async (events: AsyncIterable<unknown>, place: string): Promise<JsonValue> => {
    const read: JsonValue[] = [];
    let bytes = 0;
    for await (const event of events) {
      const value = await readValue(event, `${place}[${read.length}]`, 1);
      bytes += JSON.stringify(value).length;
      if (bytes > maxOutputBytes) throw tooLarge(`${call}: ${place}`, maxOutputBytes);
      read.push(value);
    }
    return read;
  };

  const readValue = async (value: unknown, place: string, depth: number): Promise<JsonValue> => {
    if (depth > MAX_DEPTH) throw wrongOutput(`${call}: ${place} is nested deeper than ${MAX_DEPTH} levels`);
    if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
    if (typeof value !== 'object' || value === null)
      return typeof value === 'string' || typeof value === 'boolean' ? value : null;
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (value instanceof Uint8Array || value instanceof Readable) return readBytes(value, place);
    if (value instanceof String) return String(value); // the SDK's JSON within JSON
    if (Array.isArray(value) || value instanceof Set) return readList([...value], place, depth);
    if (Symbol.asyncIterator in value) return readEvents(value as AsyncIterable<unknown>, place);
    if ('type' in value && value.type === 'bigDecimal') return String(value);
    return readFields(value as SdkOutput, place, depth);
  };

  const readList = async (values: readonly unknown[], place: string, depth: number): Promise<JsonValue[]> => {
    const read: JsonValue[] = [];
    for (const [index, value] of values.entries())
      read.push(await readValue(value, `${place}[${index}]`, depth + 1));
    return read;
  };

  /** One after the other, so that files have the same numbers in every attempt. */
  const readFields = async (fields: SdkOutput, place: string, depth: number): Promise<JsonObject> => {
    const read: [string, JsonValue][] = [];
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined || typeof value === 'function') continue;
      read.push([name, await readValue(value, place === '' ? name : `${place}.${name}`, depth + 1)]);
    }
    return Object.fromEntries(read);
  };

  return readFields(output, '', 0);
};

/** Frees the connections of streams that were not read to their end. */
export const closeStreams = (output: SdkOutput): void => {
  for (const value of Object.values(output)) if (value instanceof Readable) value.destroy();
};

const toFileInfo = ({ fileName, input }: AwsParameters, output: SdkOutput) => {
  const { Key } = input;
  const { ContentType, contentType = ContentType } = output;
  return {
    name: fileName ?? (typeof Key === 'string' ? (Key.split('/').at(-1) ?? '') : 'output'),
    mediaType: typeof contentType === 'string' ? contentType : 'application/octet-stream',
  };
};

const decode = (bytes: Uint8Array, bytesAs: BytesAs, place: string): JsonValue => {
  if (bytesAs !== 'text' && bytesAs !== 'json') return { $base64: Buffer.from(bytes).toString('base64') };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return bytesAs === 'text' ? text : JSON.parse(text);
  } catch {
    throw wrongOutput(`${place} is no ${bytesAs === 'text' ? 'text in UTF-8' : 'JSON'}; see bytesAs`);
  }
};

const wrongOutput = (message: string): NodeError =>
  new NodeError(message, { name: 'OutputInvalid', isRetryable: false });
