import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { readIsoTime } from '@hookloom/counted-jsonata/times';
import {
  type Files,
  type FileValue,
  fromAttempt,
  isFileValue,
  isNodeError,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  type NodeContext,
  NodeError,
  parseJson,
  Type,
  type ValueOf,
} from '@hookloom/plugin-kit';

/** Keys of inputs of operations whose texts address something; of maps and lists, all texts within. */
const ADDRESSES = (
  'Bucket Key Prefix CopySource ExpectedBucketOwner UploadId QueueUrl QueueName ReceiptHandle MessageGroupId MessageDeduplicationId ' +
  'TopicArn TargetArn PhoneNumber TableName IndexName ExpressionAttributeNames FunctionName Qualifier SecretId stateMachineArn ' +
  'executionArn taskToken modelId FromEmailAddress Destination ReplyToAddresses EventBusName Name Id'
).split(' ');

export const parameters = Type.Object({
  service: Type.String({
    minLength: 1,
    maxLength: 100,
    description:
      "The SDK's client package without @aws-sdk/client-, such as dynamodb, s3, sesv2 or bedrock-runtime",
  }),
  operation: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The operation, such as PutItem or putItem',
  }),
  input: Type.Object(
    {},
    {
      default: {},
      holes: ADDRESSES,
      description:
        'The input of the operation. { "$base64": text } is sent as bytes, { "$date": ISO 8601 } as a time, and a file as its content',
    },
  ),
  region: Type.Optional(
    Type.String({
      holes: 'fail',
      pattern: '^[a-z0-9-]{1,40}$',
      description: 'The region; by default the region of the service',
    }),
  ),
  bytesAs: Type.Enum(['auto', 'file', 'text', 'json', 'base64'], {
    default: 'auto',
    description:
      'What bytes in the output become: a file, UTF-8 text, parsed JSON, or { "$base64": text }. auto: a stream, such as Body of s3 GetObject, becomes a file, other bytes become base64',
  }),
  fileName: Type.Optional(
    Type.String({
      holes: 'fail',
      maxLength: 255,
      description: 'Name of the file; by default the last part of input.Key',
    }),
  ),
  maxFileBytes: Type.Integer({
    minimum: 1,
    maximum: 50_000_000_000,
    default: 1_073_741_824,
    description: 'A larger file fails the node, within the limit of the service (MAX_FILE_BYTES)',
  }),
  maxOutputBytes: Type.Integer({
    minimum: 1,
    maximum: 33_554_432,
    default: 6_291_456,
    description: 'A larger answer, not counting files, fails the node; 6 MiB by default',
  }),
});

type AwsParameters = ValueOf<typeof parameters>;
type BytesAs = AwsParameters['bytesAs'];

/** Makes the call. Its output is delivered as JSON, with files for streams. */
export const callAws = async (parameters: AwsParameters, context: NodeContext): Promise<JsonObject> => {
  const { services } = context;
  const { service, operation, region, maxOutputBytes } = parameters;
  const output = await services.aws.send({
    service,
    operation,
    input: await toSdkInput(parameters.input, services.files),
    region,
    ...fromAttempt(context),
    maxOutputBytes,
  });
  try {
    return await readOutput(parameters, output, services.files);
  } finally {
    closeStreams(output);
  }
};

/**
 * The bytes of a stream, up to a limit.
 * @param place - for messages
 * @throws NodeError `OutputTooLarge`, or `StreamBroken`, which another attempt may fix
 */
async function* limitStream(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  place: string,
): AsyncGenerator<Uint8Array> {
  const chunks = iterateContent(content);
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await chunks.next().catch((cause: unknown) => {
        throw isNodeError(cause) ? cause : toBroken(cause, place, bytes);
      });
      if (done === true) return;
      bytes += value.byteLength;
      if (bytes > maxBytes) throw tooLarge(place, maxBytes);
      yield value;
    }
  } finally {
    await chunks.return(undefined);
  }
}

async function* iterateContent(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  yield* content;
}

const tooLarge = (place: string, limit: number): NodeError =>
  new NodeError(`${place} is larger than ${limit} bytes`, { name: 'OutputTooLarge', isRetryable: false });

const toBroken = (cause: unknown, place: string, bytes: number): NodeError =>
  new NodeError(`${place} broke off after ${bytes} bytes`, {
    name: 'StreamBroken',
    details: { bytes },
    cause,
  });

/** Smaller files are sent as bytes, since not all operations take a stream; those that don't take no more than this. */
const MAX_BYTES_IN_MEMORY = 6_291_456;
/** The base64 alphabet of RFC 4648 §4. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The SDK's input for a JSON one: `{ $base64 }` becomes bytes, `{ $date }` a Date, a file its content.
 *
 * @throws NodeError that names the place of a value that is neither
 * @throws AppError of {@link Files}
 */
const toSdkInput = async (input: JsonObject, files: Files): Promise<Record<string, unknown>> => {
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
  return { ...contentLengthOf(input), ...(await convertFields(input, 'input')) };
};

/** Size of a streamed body, which S3 has to know in advance. Left out for operations without such a field. */
const contentLengthOf = (input: JsonObject): { readonly ContentLength?: number } => {
  const file = Object.values(input).find(isFileValue);
  return file === undefined ? {} : { ContentLength: file.size };
};

const openFile = async (file: FileValue, files: Files): Promise<unknown> => {
  const content = await files.open(file);
  if (file.size > MAX_BYTES_IN_MEMORY) return Readable.from(content, { objectMode: false });
  return buffer(content);
};

const readBase64 = (text: JsonValue | undefined, place: string): Uint8Array => {
  if (typeof text === 'string' && BASE64.test(text)) return Buffer.from(text, 'base64');
  throw wrongInput(`${place}.$base64`, 'base64');
};

const readDate = (text: JsonValue | undefined, place: string): Date => {
  const read = typeof text === 'string' ? readIsoTime(text) : null;
  if (read !== null) return new Date(read.local - (read.offsetMs ?? 0));
  throw wrongInput(`${place}.$date`, 'a time such as 2026-01-31T12:00:00Z');
};

const wrongInput = (place: string, what: string): NodeError =>
  new NodeError(`Parameter "${place}" must be ${what}`, { name: 'InputInvalid', isRetryable: false });

type SdkOutput = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 100;

/**
 * Converts the SDK's output to JSON: a Date to ISO 8601, bytes and streams as `bytesAs` says, a stream of events to a
 * list, a number that JSON does not have to a string.
 * @throws NodeError if a stream breaks, or bytes are not what `bytesAs` says
 * @throws AppError of {@link Files}
 */
const readOutput = (given: AwsParameters, output: SdkOutput, files: Files): Promise<JsonObject> => {
  const { service, operation, bytesAs, maxFileBytes, maxOutputBytes } = given;
  const call = `${service} ${operation}`;

  const readBytes = async (content: Uint8Array | Readable, place: string): Promise<JsonValue> => {
    const isStream = content instanceof Readable;
    if (bytesAs === 'file' || (bytesAs === 'auto' && isStream)) {
      const stream = limitStream(isStream ? content : [content], maxFileBytes, `${call}: ${place}`);
      return files.save(stream, toFileInfo(given, output));
    }
    const at = `${call}: ${place}`;
    const bytes = isStream ? await buffer(limitStream(content, maxOutputBytes, at)) : content;
    return decodeBytes(bytes, bytesAs, at);
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

  /** Reads the fields one after the other, so that files have the same numbers in every attempt. */
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
const closeStreams = (output: SdkOutput): void => {
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

const decodeBytes = (bytes: Uint8Array, bytesAs: BytesAs, place: string): JsonValue => {
  if (bytesAs !== 'text' && bytesAs !== 'json') return { $base64: Buffer.from(bytes).toString('base64') };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return bytesAs === 'text' ? text : parseJson(text);
  } catch {
    throw wrongOutput(`${place} is not ${bytesAs === 'text' ? 'UTF-8 text' : 'JSON'}; see bytesAs`);
  }
};

const wrongOutput = (message: string): NodeError =>
  new NodeError(message, { name: 'OutputInvalid', isRetryable: false });
