import type { SQSBatchResponse } from 'aws-lambda';
import { isPlainObject, type JsonObject } from '../contract/json.ts';
import type { FindNodeType } from '../contract/node-type.ts';
import { type StartParts, startByEvent } from '../triggers/start-by-event.ts';

interface EventFunctionParts extends StartParts {
  readonly loadNodeTypes: () => Promise<FindNodeType>;
}

/**
 * The function for the events of one trigger type. A failed event throws, so that its source repeats it. The messages of
 * an SQS batch are events of their own, started in their order; failed ones stay in the queue, so its event source
 * mapping needs `functionResponseType: ReportBatchItemFailures`.
 *
 * @param nodeType - of a trigger with an `EventSource`
 */
export const createEventFunction =
  (nodeType: string, parts: EventFunctionParts) =>
  async (event: unknown): Promise<SQSBatchResponse> => {
    const findNodeType = await parts.loadNodeTypes();
    const source = findNodeType(nodeType)?.firedBy ?? null;
    if (source === null || typeof source === 'string') {
      throw new TypeError(`No installed trigger of the type ${nodeType} is fired by events.`);
    }
    const start = (one: JsonObject) => startByEvent(one, { nodeType, source, findNodeType }, parts);
    const messages = readMessages(event);
    const batchItemFailures: { itemIdentifier: string }[] = [];
    if (messages === null) await start(readEvent(event));
    for (const message of messages ?? []) {
      try {
        await start(message);
      } catch (cause) {
        const messageId = String(message.messageId);
        parts.logger.error('The message stays in its queue.', { nodeType, messageId, cause });
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    }
    return { batchItemFailures };
  };

const readEvent = (event: unknown): JsonObject => {
  if (isPlainObject(event)) return event as JsonObject; // Lambda parses events from JSON
  throw new TypeError('The event is no JSON object.');
};

/** The messages of an SQS batch; null for any other event. */
const readMessages = (event: unknown): readonly JsonObject[] | null => {
  const { Records } = isPlainObject(event) ? event : {};
  return Array.isArray(Records) && Records.every(isMessage) ? Records : null;
};

const isMessage = (record: unknown): record is JsonObject =>
  isPlainObject(record) && record.eventSource === 'aws:sqs';
