import { randomUUID } from 'node:crypto';
import { ApiError } from '../net/api-error.ts';
import { isPlainObject, type JsonObject } from '../net/json.ts';
import { LOCAL_QUEUES, toQueueName } from './local-arns.ts';
import { isFifo, takeBatch, toDeadLetters, toMessage, toRecord } from './queue-messages.ts';
import type { LocalMapping, LocalMessage, SourcesStore } from './sources-state.ts';

/**
 * Passes a batch to a mapping's function.
 *
 * @returns the ids of the messages that failed, all of them when the function failed; null when no message could be received
 */
export type DeliverBatch = (
  event: JsonObject,
  messageIds: readonly string[],
  mapping: LocalMapping,
) => Promise<readonly string[] | null>;

/** What happens to messages that fail repeatedly. */
interface Redrive {
  /** After how many failures a message goes to the dead-letter queue. */
  readonly maxReceives: number;
  /** Name of the dead-letter queue. */
  readonly deadLetters: string;
}

interface Settings {
  /** Whether queues must be created first; otherwise naming a queue creates it, with a dead-letter queue. */
  readonly areCreated?: boolean;
  /** The first delay of a failed message. */
  readonly retryMs?: number;
}

/** After how many failures a message goes to the dead-letter queue. */
const MAX_RECEIVES = 3;

const FIRST_DELAY_MS = 1_000;
const DEFAULT_BATCH = 10;

/**
 * How long a message's deduplication id is remembered:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-exactly-once-processing.html
 */
const DEDUPLICATION_MS = 300_000;

const LOCAL_ACCOUNT = '000000000000';

/** SQS and Lambda's event source mappings on this machine. Naming a queue of this account creates it. */
export interface Queues {
  /** By the names of SQS's API: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/ @throws ApiError */
  readonly operations: Readonly<Record<string, (input: JsonObject) => JsonObject>>;
  /** https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html @throws ApiError */
  createMapping(definition: JsonObject): JsonObject;
  updateMapping(uuid: string, changes: JsonObject): JsonObject;
  removeMapping(uuid: string): JsonObject;
  listMappings(source: string | null): JsonObject;
  /** Puts an undeliverable event into a dead-letter queue. */
  bury(queueArn: string, event: JsonObject): void;
  /** Delivers the messages that are left in the queues. */
  resume(): void;
  stop(): void;
}

export const createQueues = (
  store: SourcesStore,
  deliver: DeliverBatch,
  log: (line: string) => void,
  { areCreated = false, retryMs = FIRST_DELAY_MS }: Settings = {},
): Queues => {
  const { queues, mappings } = store.state;
  const redrives = new Map<string, Redrive | null>();
  const busy = new Set<string>();
  const timers = new Map<string, NodeJS.Timeout>();
  const sent = new Map<string, { readonly messageId: string; readonly until: number }>();
  let isStopped = false;

  const open = (name: string): LocalMessage[] => {
    const known = queues.get(name);
    if (known !== undefined) return known;
    if (areCreated && !redrives.has(name))
      throw new ApiError('QueueDoesNotExist', 'The specified queue does not exist.');
    const made: LocalMessage[] = [];
    queues.set(name, made);
    store.save();
    return made;
  };

  /** Sends a message. In a FIFO queue, one with the deduplication id of a recently sent message is dropped. */
  const send = (name: string, message: LocalMessage): string => {
    const known = findSent(name, message);
    if (known !== null) return known;
    open(name).push(message);
    store.save();
    void poll(name);
    return message.messageId;
  };

  const findSent = (name: string, { messageId, attributes }: LocalMessage): string | null => {
    const { MessageDeduplicationId: id } = attributes;
    if (!isFifo(name) || id === undefined) return null;
    const key = `${name} ${id}`;
    const earlier = sent.get(key);
    if (earlier !== undefined && earlier.until > Date.now()) return earlier.messageId;
    sent.set(key, { messageId, until: Date.now() + DEDUPLICATION_MS });
    return null;
  };

  const mappingOf = (name: string): LocalMapping | undefined =>
    [...mappings.values()].find(
      ({ source, definition }) => source === `${LOCAL_QUEUES}${name}` && definition.Enabled !== false,
    );

  /** One batch of a queue at a time, so that the order of a FIFO queue is kept. */
  const poll = async (name: string): Promise<void> => {
    const mapping = mappingOf(name);
    if (isStopped || mapping === undefined || busy.has(name)) return;
    const batch = takeBatch(open(name), name, Number(mapping.definition.BatchSize ?? DEFAULT_BATCH));
    if (batch.length === 0) return wakeLater(name);
    busy.add(name);
    const ids = batch.map(({ messageId }) => messageId);
    const event = { Records: batch.map((message) => toRecord(message, name)) };
    const failed = await deliver(event, ids, mapping);
    busy.delete(name);
    if (failed === null) return wakeIn(name, retryMs);
    settle(name, new Set(ids), new Set(failed));
    void poll(name);
  };

  const redriveOf = (name: string): Redrive | null =>
    areCreated
      ? (redrives.get(name) ?? null)
      : { maxReceives: MAX_RECEIVES, deadLetters: toDeadLetters(name) };

  const settle = (name: string, given: ReadonlySet<string>, failed: ReadonlySet<string>): void => {
    const kept: LocalMessage[] = [];
    for (const message of open(name)) {
      const { messageId } = message;
      if (!given.has(messageId)) kept.push(message);
      else if (failed.has(messageId)) {
        const receives = message.receives + 1;
        const again = {
          ...message,
          receives,
          visibleAt: Date.now() + retryMs * 2 ** message.receives,
        };
        const redrive = redriveOf(name);
        if (redrive === null || receives < redrive.maxReceives) kept.push(again);
        else {
          const { deadLetters } = redrive;
          open(deadLetters).push(again);
          log(`queue ${name}: message ${messageId} went to ${deadLetters} after ${receives} receives`);
        }
      }
    }
    queues.set(name, kept);
    store.save();
  };

  /** Schedules the next delivery for when a message becomes visible again. */
  const wakeLater = (name: string): void => {
    const times = open(name).map(({ visibleAt }) => visibleAt);
    if (times.length === 0) return;
    wakeIn(name, Math.max(0, Math.min(...times) - Date.now()));
  };

  const wakeIn = (name: string, ms: number): void => {
    clearTimeout(timers.get(name));
    if (!isStopped) timers.set(name, setTimeout(() => void poll(name), ms).unref());
  };

  const findMapping = (uuid: string): LocalMapping => {
    const found = mappings.get(uuid);
    if (found === undefined)
      throw new ApiError('ResourceNotFoundException', 'The resource you requested does not exist.', 404);
    return found;
  };

  return {
    operations: {
      CreateQueue: ({ QueueName, Attributes }) => {
        const { RedrivePolicy = 'null' } = isPlainObject(Attributes) ? (Attributes as JsonObject) : {};
        const policy: { maxReceiveCount: number; deadLetterTargetArn: string } | null = JSON.parse(
          String(RedrivePolicy),
        );
        redrives.set(
          String(QueueName),
          policy && {
            maxReceives: Number(policy.maxReceiveCount),
            deadLetters: toQueueName(policy.deadLetterTargetArn) ?? '',
          },
        );
        open(String(QueueName));
        return { QueueUrl: `http://localhost/${LOCAL_ACCOUNT}/${String(QueueName)}` };
      },
      GetQueueUrl: ({ QueueName, QueueOwnerAWSAccountId = LOCAL_ACCOUNT }) => {
        if (QueueOwnerAWSAccountId !== LOCAL_ACCOUNT)
          throw new ApiError('QueueDoesNotExist', 'The specified queue does not exist.');
        open(String(QueueName));
        return { QueueUrl: `http://localhost/${LOCAL_ACCOUNT}/${String(QueueName)}` };
      },
      GetQueueAttributes: ({ QueueUrl }) => {
        const name = queueNameOf(QueueUrl);
        return {
          Attributes: {
            QueueArn: `${LOCAL_QUEUES}${name}`,
            ApproximateNumberOfMessages: String(open(name).length),
            VisibilityTimeout: '60',
            ...(isFifo(name) ? { FifoQueue: 'true' } : {}),
          },
        };
      },
      SendMessage: (input) => {
        const name = queueNameOf(input.QueueUrl);
        return { MessageId: send(name, toMessage(input, name)) };
      },
      ReceiveMessage: ({ QueueUrl, MaxNumberOfMessages = 1 }) => ({
        Messages: open(queueNameOf(QueueUrl))
          .slice(0, Number(MaxNumberOfMessages))
          .map(({ messageId, body }) => ({ MessageId: messageId, ReceiptHandle: messageId, Body: body })),
      }),
      DeleteMessage: ({ QueueUrl, ReceiptHandle }) => {
        const name = queueNameOf(QueueUrl);
        queues.set(
          name,
          open(name).filter(({ messageId }) => messageId !== ReceiptHandle),
        );
        store.save();
        return {};
      },
    },
    createMapping: (definition) => {
      const source = String(definition.EventSourceArn);
      const name = toQueueName(source);
      if (name === null)
        throw new ApiError('InvalidParameterValueException', `There is no queue ${source} on this machine.`);
      if ([...mappings.values()].some((mapping) => mapping.source === source))
        throw new ApiError(
          'ResourceConflictException',
          'An event source mapping for this queue already exists.',
          409,
        );
      const uuid = randomUUID();
      mappings.set(uuid, { uuid, source, definition });
      open(name);
      store.save();
      void poll(name);
      return { UUID: uuid, ...definition };
    },
    updateMapping: (uuid, changes) => {
      const { source, definition } = findMapping(uuid);
      mappings.set(uuid, { uuid, source, definition: { ...definition, ...changes } });
      store.save();
      void poll(source.slice(LOCAL_QUEUES.length));
      return { UUID: uuid, ...definition, ...changes };
    },
    removeMapping: (uuid) => {
      const { definition } = findMapping(uuid);
      mappings.delete(uuid);
      store.save();
      return { UUID: uuid, ...definition };
    },
    listMappings: (source) => ({
      EventSourceMappings: [...mappings.values()]
        .filter((mapping) => source === null || mapping.source === source)
        .map(({ uuid, definition }) => ({
          UUID: uuid,
          State: definition.Enabled === false ? 'Disabled' : 'Enabled',
          ...definition,
        })),
    }),
    bury: (queueArn, event) => {
      const name = toQueueName(queueArn);
      if (name !== null) send(name, toMessage({ MessageBody: JSON.stringify(event) }, name));
    },
    resume: () => {
      for (const name of queues.keys()) void poll(name);
    },
    stop: () => {
      isStopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
};

const queueNameOf = (url: unknown): string => String(url).split('/').at(-1) ?? '';
