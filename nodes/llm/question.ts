import type { JsonObject, JsonValue, NodeContext, Usage } from '@hookloom/plugin-kit';

/** An image or a document that a question comes with. */
export interface Attachment {
  /** One of the types that `readAttachments` takes. */
  readonly mediaType: string;
  readonly name: string;
  readonly bytes: Buffer;
}

/** One turn of a conversation. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly attachments?: readonly Attachment[];
}

/** What a model is asked, for any provider. */
export interface Question {
  readonly model: string;
  /** Empty for none. */
  readonly system: string;
  /** The last one is the user's. */
  readonly turns: readonly Turn[];
  /** JSON Schema of the answer, an object; null for text. */
  readonly schema: JsonObject | null;
  /** Whether the provider is to enforce the schema, where it can. */
  readonly strict: boolean;
  readonly maxTokens: number;
  /** The model's own when absent. */
  readonly temperature?: number | undefined;
  readonly stop: readonly string[];
  /** Fields of the provider's request, which replace those that are made here; null leaves one out. */
  readonly options: JsonObject;
  /** The provider's own when absent. */
  readonly baseUrl?: string | undefined;
  /** Of AWS; that of the service itself when absent. */
  readonly region?: string | undefined;
}

/**
 * Why a model ended its answer: it was done, or wrote a text of `stop`; its tokens were used up; it or its provider
 * refused to answer; `other` for what the provider adds to these.
 */
export type FinishReason = 'stop' | 'length' | 'refusal' | 'other';

export interface Answer {
  readonly text: string;
  /** Absent for an answer of text alone. */
  readonly value?: JsonValue | undefined;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  /** The exact name of the model that answered. */
  readonly model: string;
}

/**
 * Asks a provider's model once.
 *
 * @throws NodeError for a failure of the provider; AppError `OUTBOUND_*` when there is no answer within the limits
 */
export type AskProvider = (question: Question, context: NodeContext) => Promise<Answer>;

/** The name of the tool, or of the format, by which providers are asked for JSON. */
export const ANSWER_NAME = 'answer';

/** Bytes of an answer as it is sent: some ten times what the models write. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** A request with the options of the question. */
export const withOptions = <Value>(
  request: Readonly<Record<string, Value>>,
  options: JsonObject,
): Record<string, Value | JsonValue> =>
  Object.fromEntries(Object.entries({ ...request, ...options }).filter(([, value]) => value !== null));

/** The counts that a provider gives, by our names for them. */
export const toUsage = (counts: Readonly<Record<string, unknown>>): Usage =>
  Object.fromEntries(
    Object.entries(counts).filter(
      (entry): entry is [string, number] => Number.isSafeInteger(entry[1]) && Number(entry[1]) >= 0,
    ),
  );
