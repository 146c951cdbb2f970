import type { JsonObject } from '@hookloom/plugin-kit';

/** An event as written in a file: as rules see it, with its bus. */
export interface EventEntry {
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: JsonObject;
  readonly resources?: readonly string[];
  /** ISO 8601. */
  readonly time?: string;
  readonly bus?: string;
  /** AWS assigns a new id to each event. On this machine it is kept, so that a file can repeat its event. */
  readonly id?: string;
}

/** A message as written in a file. */
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
export const eventSchema: JsonObject = {
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

export const messageSchema: JsonObject = {
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
