import { createHash, randomUUID } from 'node:crypto';
import { ApiError } from '../net/api-error.ts';
import { isPlainObject, type JsonObject } from '../net/json.ts';
import { LOCAL_QUEUES } from './local-arns.ts';
import type { LocalMessage } from './sources-state.ts';

const FIFO = '.fifo';

export const isFifo = (queue: string): boolean => queue.endsWith(FIFO);

/** The dead-letter queue of a queue; for a FIFO queue, also FIFO. */
export const toDeadLetters = (queue: string): string =>
  isFifo(queue) ? `${queue.slice(0, -FIFO.length)}-dead-letters${FIFO}` : `${queue}-dead-letters`;

/**
 * A message as it was sent: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 *
 * @throws ApiError `MissingParameter` when a message for a FIFO queue has no group
 */
export const toMessage = (
  { MessageBody, MessageAttributes, MessageGroupId, MessageDeduplicationId }: JsonObject,
  queue: string,
): LocalMessage => {
  if (isFifo(queue) && typeof MessageGroupId !== 'string')
    throw new ApiError('MissingParameter', 'The request must contain the parameter MessageGroupId.');
  return {
    messageId: randomUUID(),
    body: String(MessageBody),
    attributes: {
      SentTimestamp: String(Date.now()),
      ...(typeof MessageGroupId === 'string' ? { MessageGroupId } : {}),
      ...(typeof MessageDeduplicationId === 'string' ? { MessageDeduplicationId } : {}),
    },
    messageAttributes: isPlainObject(MessageAttributes) ? (MessageAttributes as JsonObject) : {},
    receives: 0,
    visibleAt: 0,
  };
};

/**
 * Visible messages, oldest first. In a FIFO queue, messages that follow an invisible one of their group are held back
 * too.
 */
export const takeBatch = (
  messages: readonly LocalMessage[],
  queue: string,
  size: number,
): readonly LocalMessage[] => {
  const now = Date.now();
  const waiting = new Set<string>();
  const batch: LocalMessage[] = [];
  for (const message of messages) {
    const group = message.attributes.MessageGroupId ?? '';
    if (message.visibleAt > now) waiting.add(group);
    if (message.visibleAt <= now && !(isFifo(queue) && waiting.has(group))) batch.push(message);
    if (batch.length === size) break;
  }
  return batch;
};

/** Converts a message to a record as Lambda receives it: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html */
export const toRecord = (message: LocalMessage, queue: string): JsonObject => ({
  messageId: message.messageId,
  receiptHandle: message.messageId,
  body: message.body,
  attributes: { ...message.attributes, ApproximateReceiveCount: String(message.receives + 1) },
  messageAttributes: toRecordAttributes(message.messageAttributes),
  md5OfBody: createHash('md5').update(message.body).digest('hex'),
  eventSource: 'aws:sqs',
  eventSourceARN: `${LOCAL_QUEUES}${queue}`,
  awsRegion: 'us-east-1',
});

/** SQS has `StringValue` where Lambda has `stringValue`. */
const toRecordAttributes = (attributes: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, attribute]) => {
      const { DataType = 'String', StringValue = null } = isPlainObject(attribute)
        ? (attribute as JsonObject)
        : {};
      return [name, { dataType: DataType, stringValue: StringValue }];
    }),
  );
