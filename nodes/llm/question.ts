import { buffer } from 'node:stream/consumers';
import {
  asFinal,
  type Files,
  type FileValue,
  isFileValue,
  isJsonMap,
  type JsonObject,
  type JsonValue,
  type NodeContext,
  type Usage,
  wrongParameter,
} from '@hookloom/plugin-kit';

/** An image or a document that is part of a question. */
export interface Attachment {
  /** One of the types that `readAttachments` takes. */
  readonly mediaType: string;
  readonly name: string;
  readonly bytes: Buffer;
}

/** One message of a conversation. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly attachments?: readonly Attachment[];
}

/** What a model is asked, for any provider. */
export interface Question {
  readonly model: string;
  /** The system prompt; empty for none. */
  readonly system: string;
  /** Messages of the conversation; the last one is the user's. */
  readonly turns: readonly Turn[];
  /** JSON Schema of the answer, an object; null for an answer in text. */
  readonly schema: JsonObject | null;
  /** Whether the provider should enforce the schema if it can. */
  readonly strict: boolean;
  readonly maxTokens: number;
  /** Temperature of the model; the model's own if absent. */
  readonly temperature?: number | undefined;
  readonly stop: readonly string[];
  /** Fields of the provider's request, which replace those made here; null removes one. */
  readonly options: JsonObject;
  /** URL of the API; the provider's own if absent. */
  readonly baseUrl?: string | undefined;
  /** AWS region; by default the region of the service. */
  readonly region?: string | undefined;
}

/**
 * Why a model ended its answer: it was done or wrote a `stop` text; its tokens were used up; it or its provider refused
 * to answer; `other` for any other reason.
 */
export type FinishReason = 'stop' | 'length' | 'refusal' | 'other';

export interface Answer {
  readonly text: string;
  /** The parsed answer; absent if it is only text. */
  readonly value?: JsonValue | undefined;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  /** The exact name of the model that answered. */
  readonly model: string;
}

/**
 * Asks a provider's model once.
 * @throws NodeError if the provider fails; AppError `OUTBOUND_*` if there is no answer within the limits
 */
export type AskProvider = (question: Question, context: NodeContext) => Promise<Answer>;

/** The name of the tool or format that is used to request JSON from providers. */
export const ANSWER_NAME = 'answer';

/** Maximum size of an answer in bytes: some ten times what models write. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export const withOptions = <Value>(
  request: Readonly<Record<string, Value>>,
  options: JsonObject,
): Record<string, Value | JsonValue> =>
  Object.fromEntries(Object.entries({ ...request, ...options }).filter(([, value]) => value !== null));

/** A provider's token counts under our names. */
export const toUsage = (counts: Readonly<Record<string, unknown>>): Usage =>
  Object.fromEntries(
    Object.entries(counts).filter(
      (entry): entry is [string, number] => Number.isSafeInteger(entry[1]) && Number(entry[1]) >= 0,
    ),
  );

/** Total size of a question's files, which are held in memory as bytes and as base64. */
const MAX_BYTES = 10 * 1024 * 1024;

const mediaTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'];

/**
 * Reads the files of a question.
 * @throws TypeError or RangeError if a value is not a file, models do not take its type, or there are too many bytes
 * @throws AppError `FILE_*` | `STORE_UNAVAILABLE`
 */
export const readAttachments = async (
  list: readonly JsonValue[],
  files: Files,
): Promise<readonly Attachment[]> => {
  const values = list.map(checkFile);
  // Verified as it is read, so a file has the size that its value says.
  if (values.reduce((bytes, { size }) => bytes + size, 0) > MAX_BYTES)
    throw asFinal(
      new RangeError(`Parameter "files" has more than ${MAX_BYTES} bytes; send fewer or smaller files`),
    );
  const attachments: Attachment[] = [];
  for (const file of values) {
    const { mediaType, name } = file;
    attachments.push({ mediaType, name, bytes: await buffer(await files.open(file)) });
  }
  return attachments;
};

const checkFile = (value: JsonValue, index: number): FileValue => {
  if (!isFileValue(value)) throw wrongParameter(`files[${index}]`, 'a file', value);
  if (!mediaTypes.includes(value.mediaType))
    throw asFinal(new TypeError(`Parameter "files[${index}]" must be one of ${mediaTypes.join(', ')}`));
  return value;
};

/** The map under a key of an answer; an empty one if there is none. */
export const mapAt = (value: JsonValue | undefined, key: string): JsonObject => {
  const found = memberOf(value, key);
  return isJsonMap(found) ? found : {};
};

/** The maps in the list under a key of an answer. */
export const mapsAt = (value: JsonValue | undefined, key: string): readonly JsonObject[] => {
  const found = memberOf(value, key);
  return Array.isArray(found) ? found.filter(isJsonMap) : [];
};

/** Whether there is a list under a key of an answer. */
export const hasList = (value: JsonValue | undefined, key: string): boolean =>
  Array.isArray(memberOf(value, key));

/** The string under a key of an answer; empty if there is none. */
export const textAt = (value: JsonValue | undefined, key: string): string => {
  const found = memberOf(value, key);
  return typeof found === 'string' ? found : '';
};

const memberOf = (value: JsonValue | undefined, key: string): JsonValue | undefined =>
  isJsonMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/**
 * The URL of an operation below a base URL. The query is kept, since some gateways have a version there.
 * @throws TypeError if it is not a URL
 */
export const addPath = (baseUrl: string, path: string): string => {
  const url = URL.parse(baseUrl);
  if (url === null) throw asFinal(new TypeError('Parameter "baseUrl" is not an absolute URL'));
  url.pathname = `${url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname}${path}`;
  return url.href;
};
