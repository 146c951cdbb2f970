import { isPlainObject, type JsonObject, type RegistrationContext } from '@hookloom/plugin-kit';
import type { Entry } from './check-entries.ts';
import type { EventEntry, MessageEntry } from './event-schemas.ts';

type CallAws = RegistrationContext['callAws'];

/** The error for an event or a message that AWS rejected. */
export class NotTaken extends Error {}

/**
 * Puts an event on its bus or sends a message to its queue.
 *
 * @returns a line about it, with its assigned id
 * @throws NotTaken with the reason
 */
export const sendEntry = (entry: Entry, callAws: CallAws, newId: () => string): Promise<string> =>
  entry.kind === 'event' ? putEvent(entry.event, callAws) : sendMessage(entry.message, callAws, newId);

/** https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
const putEvent = async (event: EventEntry, callAws: CallAws): Promise<string> => {
  const { bus = 'default', source, detail, resources, time, id } = event;
  const what = `the event ${source} "${event['detail-type']}"`;
  const entry = {
    EventBusName: bus,
    Source: source,
    DetailType: event['detail-type'],
    Detail: JSON.stringify(detail),
    ...(resources === undefined ? {} : { Resources: [...resources] }),
    ...(time === undefined ? {} : { Time: Date.parse(time) / 1_000 }),
    ...(id === undefined ? {} : { Id: id }),
  };
  const body = await call(callAws, what, 'events', 'application/x-amz-json-1.1', 'AWSEvents.PutEvents', {
    Entries: [entry],
  });
  // A 200 acknowledges the request; the entry says whether the bus accepted the event.
  const [result] = Array.isArray(body.Entries) ? body.Entries : [];
  const { EventId, ErrorCode, ErrorMessage } = isPlainObject(result) ? result : {};
  if (typeof EventId !== 'string')
    throw new NotTaken(`${what} was not accepted: ${String(ErrorCode)}: ${String(ErrorMessage)}`);
  return `bus ${bus}: event ${EventId}, ${source} "${event['detail-type']}"`;
};

const JSON_1_0 = 'application/x-amz-json-1.0';

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
const sendMessage = async (
  { queue, body, groupId, deduplicationId, attributes = {} }: MessageEntry,
  callAws: CallAws,
  newId: () => string,
): Promise<string> => {
  const [, , , , QueueOwnerAWSAccountId = '', QueueName = ''] = queue.split(':');
  const what = `the message for ${queue}`;
  const { QueueUrl = null } = await call(callAws, what, 'sqs', JSON_1_0, 'AmazonSQS.GetQueueUrl', {
    QueueName,
    QueueOwnerAWSAccountId,
  });
  const values = Object.entries(attributes).map(
    ([name, StringValue]) => [name, { DataType: 'String', StringValue }] as const,
  );
  const isFifo = queue.endsWith('.fifo');
  const { MessageId } = await call(callAws, what, 'sqs', JSON_1_0, 'AmazonSQS.SendMessage', {
    QueueUrl,
    MessageBody: typeof body === 'string' ? body : JSON.stringify(body),
    ...(values.length === 0 ? {} : { MessageAttributes: Object.fromEntries(values) }),
    ...(groupId === undefined ? {} : { MessageGroupId: groupId }),
    ...(isFifo ? { MessageDeduplicationId: deduplicationId ?? newId() } : {}),
  });
  return `queue ${QueueName}: message ${String(MessageId)}${groupId === undefined ? '' : `, group ${groupId}`}`;
};

const call = async (
  callAws: CallAws,
  what: string,
  service: string,
  contentType: string,
  operation: string,
  body: JsonObject,
): Promise<JsonObject> => {
  const headers = { 'content-type': contentType, 'x-amz-target': operation };
  const request = { service, method: 'POST', path: '/', headers, body } as const;
  const answer = await callAws(request).catch((cause: Error) => {
    throw new NotTaken(`${what} was not accepted: ${cause.message}`, { cause });
  });
  if (answer.status < 300) return answer.body;
  const { __type, message = answer.body.Message } = answer.body;
  throw new NotTaken(
    `${what} was not accepted: ${String(__type || answer.status)}: ${String(message ?? '')}`,
  );
};
