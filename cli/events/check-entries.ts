import { isPlainObject } from '@hookloom/plugin-kit';
import { checkSchema } from '../../authoring/validation/schema/check-schema.ts';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import { type EventEntry, eventSchema, type MessageEntry, messageSchema } from './event-schemas.ts';

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
  return { value: problems.length > 0 ? null : values.map(toEntry), problems };
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

const toEntry = (value: unknown): Entry =>
  isMessage(value as Readonly<Record<string, unknown>>)
    ? { kind: 'message', message: value as MessageEntry }
    : { kind: 'event', event: value as EventEntry };
