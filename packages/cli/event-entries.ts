import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import { checkSchema } from '../authoring/validation/schema/check-schema.ts';

export type Entry =
  | { readonly kind: 'event'; readonly event: EventEntry }
  | { readonly kind: 'message'; readonly message: MessageEntry };

/**
 * Checks the content of a file: an event, a message or a list of them.
 *
 * @returns a null value when there are problems, whose paths are JSON pointers into the content
 */
export const checkEntries = (
  content: unknown,
): { readonly value: readonly Entry[] | null; readonly problems: readonly Problem[] } => {
  const values: readonly unknown[] = Array.isArray(content) ? content : [content];
  if (values.length === 0)
    return { value: null, problems: [{ path: '', message: 'contains no event or message' }] };
  const problems = values.flatMap((value, index) =>
    findProblems(value, Array.isArray(content) ? `/${index}` : ''),
  );
  return { value: problems.length > 0 ? null : values.map(toEventEntry), problems };
};

const isMessage = (value: Readonly<Record<string, unknown>>): boolean => Object.hasOwn(value, 'queue');

const findProblems = (value: unknown, path: string): Problem[] => {
  if (!isPlainObject(value) || (!isMessage(value) && !Object.hasOwn(value, 'source')))
    return [{ path, message: 'must be an event with "source" or a message with "queue"' }];
  if (!isMessage(value)) return checkSchema(eventSchema, value, path);
  const problems = checkSchema(messageSchema, value, path);
  return problems.length > 0 ? problems : findGroupProblems(value as unknown as MessageEntry, path);
};

/** SQS groups the messages of FIFO queues: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
const findGroupProblems = ({ queue, groupId }: MessageEntry, path: string): Problem[] =>
  queue.endsWith('.fifo') && groupId === undefined
    ? [{ path, message: 'needs "groupId": its queue is a FIFO queue' }]
    : [];

const toEventEntry = (value: unknown): Entry =>
  isMessage(value as Readonly<Record<string, unknown>>)
    ? { kind: 'message', message: value as MessageEntry }
    : { kind: 'event', event: value as EventEntry };

/** An event as written in a file: as rules see it, with its bus. */
export interface EventEntry {
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: JsonObject;
  readonly resources?: readonly string[];
  /** Time of the event; ISO 8601. */
  readonly time?: string;
  readonly bus?: string;
  /** AWS assigns a new id to each event. On this machine it is kept, so that a file can repeat its event. */
  readonly id?: string;
}

export interface MessageEntry {
  /** ARN of the queue, as in the parameter of `queueTrigger`. */
  readonly queue: string;
  /** A string is sent unchanged, any other value as JSON. */
  readonly body: unknown;
  /** The message group, for a FIFO queue. */
  readonly groupId?: string;
  /** The deduplication id, for a FIFO queue; a new one by default. */
  readonly deduplicationId?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

const text = { type: 'string', minLength: 1 } as const;

/** Members that AWS adds to events are accepted too, so that a recorded event can be sent unchanged. */
const eventSchema: JsonObject = {
  type: 'object',
  required: ['source', 'detail-type', 'detail'],
  properties: {
    source: text,
    'detail-type': text,
    detail: { type: 'object' },
    resources: { type: 'array', items: { type: 'string' } },
    time: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' },
    bus: text,
    id: text,
    version: { type: 'string' },
    account: { type: 'string' },
    region: { type: 'string' },
  },
  additionalProperties: false,
};

const messageSchema: JsonObject = {
  type: 'object',
  required: ['queue', 'body'],
  properties: {
    queue: { type: 'string', pattern: '^arn:[a-z-]+:sqs:[a-z0-9-]+:\\d{12}:[A-Za-z0-9_-]{1,80}(\\.fifo)?$' },
    body: {},
    groupId: text,
    deduplicationId: text,
    attributes: { type: 'object', additionalProperties: text },
  },
  additionalProperties: false,
};
