import { randomUUID } from 'node:crypto';
import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import type { Command } from 'commander';
import type { CallAws } from '../../lib/adapters/aws/aws-caller.ts';
import { addTo, type CommandContext } from './command.ts';
import { CommandError } from './command-error.ts';
import { AwsRefusal, askJson } from './doctor/ask-aws.ts';
import type { Entry, EventEntry, MessageEntry } from './event-entries.ts';
import { readEntries } from './read-file.ts';
import type { Target } from './target.ts';

export const addEventCommands = (program: Command, context: CommandContext): void => {
  const add = addTo(program.command('event').description('send events and messages'), context);

  add('put', {
    about: 'send events to a bus and messages to queues',
    arguments: [['<files...>', 'files with an event, a message or a list of them; - is standard input']],
    examples: ['event put events/triggers/upload.json'],
    runHere: async (files, { io, onTarget }) => {
      // Reads all files before sending the first, so that nothing is sent if one is invalid.
      const entries: Entry[] = [];
      for (const file of files) entries.push(...(await readEntries(file, io)));
      await onTarget(async ({ target: { openAws } }) => {
        for (const entry of entries)
          io.print(
            await (entry.kind === 'event'
              ? putEvent(entry.event, openAws)
              : sendMessage(entry.message, openAws)),
          );
      });
    },
  });
};

type OpenAws = Target['openAws'];

/**
 * https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
 *
 * @returns a line about it, with its assigned id
 * @throws CommandError with the reason for which AWS rejected it
 */
const putEvent = async (event: EventEntry, openAws: OpenAws): Promise<string> => {
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
  const body = await callOperation(openAws('events'), what, 'AWSEvents.PutEvents', { Entries: [entry] });
  // A 200 acknowledges the request; the entry says whether the bus accepted the event.
  const [result] = Array.isArray(body.Entries) ? body.Entries : [];
  const { EventId, ErrorCode, ErrorMessage } = isPlainObject(result) ? result : {};
  if (typeof EventId !== 'string')
    throw new CommandError(`${what} was not accepted: ${String(ErrorCode)}: ${String(ErrorMessage)}`);
  return `bus ${bus}: event ${EventId}, ${source} "${event['detail-type']}"`;
};

/** As `putEvent`: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
const sendMessage = async (
  { queue, body, groupId, deduplicationId, attributes = {} }: MessageEntry,
  openAws: OpenAws,
): Promise<string> => {
  const [, , , , QueueOwnerAWSAccountId = '', QueueName = ''] = queue.split(':');
  const what = `the message for ${queue}`;
  const { QueueUrl = null } = await callOperation(openAws('sqs'), what, 'AmazonSQS.GetQueueUrl', {
    QueueName,
    QueueOwnerAWSAccountId,
  });
  const values = Object.entries(attributes).map(
    ([name, StringValue]) => [name, { DataType: 'String', StringValue }] as const,
  );
  const isFifo = queue.endsWith('.fifo');
  const { MessageId } = await callOperation(openAws('sqs'), what, 'AmazonSQS.SendMessage', {
    QueueUrl,
    MessageBody: typeof body === 'string' ? body : JSON.stringify(body),
    ...(values.length === 0 ? {} : { MessageAttributes: Object.fromEntries(values) }),
    ...(groupId === undefined ? {} : { MessageGroupId: groupId }),
    ...(isFifo ? { MessageDeduplicationId: deduplicationId ?? randomUUID() } : {}),
  });
  return `queue ${QueueName}: message ${String(MessageId)}${groupId === undefined ? '' : `, group ${groupId}`}`;
};

/** @throws CommandError with AWS's reason */
const callOperation = async (
  callAws: CallAws,
  what: string,
  operation: string,
  input: JsonObject,
): Promise<JsonObject> => {
  try {
    return await askJson(callAws, operation, input);
  } catch (error) {
    const reason =
      error instanceof AwsRefusal && error.reason !== null ? `${error.type}: ${error.reason}` : null;
    throw new CommandError(`${what} was not accepted: ${reason ?? (error as Error).message}`);
  }
};
