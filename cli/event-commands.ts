import { randomUUID } from 'node:crypto';
import { isPlainObject, type JsonObject, type RegistrationContext } from '@hookloom/plugin-kit';
import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { CommandError } from './command-error.ts';
import type { Entry, EventEntry, MessageEntry } from './event-entries.ts';
import { readEntries } from './read-file.ts';

export const addEventCommands = (program: Command, { io, onTarget }: CommandContext): void => {
  const event = program.command('event').description('send events and messages');

  event
    .command('put')
    .description('send events to a bus and messages to queues')
    .argument('<files...>', 'files with an event, a message or a list of them; - is standard input')
    .action(async (files: string[]) => {
      // Reads all files before sending the first, so that nothing is sent if one is invalid.
      const entries: Entry[] = [];
      for (const file of files) entries.push(...(await readEntries(file, io)));
      await onTarget(async ({ target }) => {
        const { callAws } = await target.registrar.openContext().catch((cause: Error) => {
          throw new CommandError(`The stage can't be reached: ${cause.message}`);
        });
        for (const entry of entries) io.print(await sendEntry(entry, callAws));
      });
    });
};

type CallAws = RegistrationContext['callAws'];

/**
 * Puts an event on its bus or sends a message to its queue.
 *
 * @returns a line about it, with its assigned id
 * @throws CommandError with the reason for which AWS rejected it
 */
const sendEntry = (entry: Entry, callAws: CallAws): Promise<string> =>
  entry.kind === 'event' ? putEvent(entry.event, callAws) : sendMessage(entry.message, callAws);

/** Documented at https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
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
    throw new CommandError(`${what} was not accepted: ${String(ErrorCode)}: ${String(ErrorMessage)}`);
  return `bus ${bus}: event ${EventId}, ${source} "${event['detail-type']}"`;
};

const JSON_1_0 = 'application/x-amz-json-1.0';

/** Documented at https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
const sendMessage = async (
  { queue, body, groupId, deduplicationId, attributes = {} }: MessageEntry,
  callAws: CallAws,
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
    ...(isFifo ? { MessageDeduplicationId: deduplicationId ?? randomUUID() } : {}),
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
    throw new CommandError(`${what} was not accepted: ${cause.message}`);
  });
  if (answer.status < 300) return answer.body;
  const { __type, message = answer.body.Message } = answer.body;
  throw new CommandError(
    `${what} was not accepted: ${String(__type || answer.status)}: ${String(message ?? '')}`,
  );
};
