import { isPlainObject, type JsonObject, type Logger } from '@hookloom/plugin-kit';
import type { SQSBatchResponse } from 'aws-lambda';

type Start = (event: JsonObject) => Promise<unknown>;

/**
 * Starts the executions of a Lambda event. A failed event throws, so that its source retries it. The messages of an SQS
 * batch are separate events, started in order; failed ones stay in the queue, so its event source mapping needs
 * `functionResponseType: ReportBatchItemFailures`. In a FIFO queue, messages of the same group after a failed one fail
 * as well, to preserve their order.
 */
export const startEach = async (
  event: unknown,
  start: Start,
  logger: Pick<Logger, 'error'>,
): Promise<SQSBatchResponse> => {
  const messages = readMessages(event);
  const failed: JsonObject[] = [];
  const failedGroups = new Set<string>();
  if (messages === null) await start(readEvent(event));
  for (const message of messages ?? []) {
    const group = readGroup(message);
    try {
      if (group !== null && failedGroups.has(group))
        throw new Error('an earlier message of its group failed');
      await start(message);
    } catch (cause) {
      if (group !== null) failedGroups.add(group);
      logger.error('The message stays in its queue.', { messageId: message.messageId ?? null, cause });
      failed.push(message);
    }
  }
  return toResponse(failed);
};

/** Starts one execution for a batch that is one event: all of its messages stay in the queue or none do. */
export const startWhole = async (
  messages: readonly JsonObject[],
  start: Start,
  logger: Pick<Logger, 'error'>,
): Promise<SQSBatchResponse> => {
  try {
    await start({ Records: [...messages] });
    return toResponse([]);
  } catch (cause) {
    logger.error('The batch stays in its queue.', { messages: messages.length, cause });
    return toResponse(messages);
  }
};

const toResponse = (failed: readonly JsonObject[]): SQSBatchResponse => ({
  batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: String(messageId) })),
});

const readEvent = (event: unknown): JsonObject => {
  if (isPlainObject(event)) return event as JsonObject; // Lambda parses events from JSON
  throw new TypeError('The event must be a JSON object.');
};

/** The messages of an SQS batch; null for any other event. */
export const readMessages = (event: unknown): readonly JsonObject[] | null => {
  const { Records } = isPlainObject(event) ? event : {};
  return Array.isArray(Records) && Records.every(isMessage) ? Records : null;
};

const isMessage = (record: unknown): record is JsonObject =>
  isPlainObject(record) && record.eventSource === 'aws:sqs';

/** Returns the group of a message in a FIFO queue; null for a message of a standard queue. */
const readGroup = ({ attributes }: JsonObject): string | null => {
  const group = isPlainObject(attributes) ? attributes.MessageGroupId : undefined;
  return typeof group === 'string' ? group : null;
};
