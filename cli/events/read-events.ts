import { isPlainObject } from '../../lib/contract/json.ts';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import { checkSchema } from '../../lib/workflows/validation/schema/check-schema.ts';
import { CommandError } from '../command-error.ts';
import { locateValues, parseJson } from '../parse-json.ts';
import { type InputIo, readInput } from '../read-input.ts';
import { type EventEntry, eventSchema, type MessageEntry, messageSchema } from './event-schemas.ts';

export type Entry =
  | { readonly kind: 'event'; readonly event: EventEntry }
  | { readonly kind: 'message'; readonly message: MessageEntry };

/**
 * Reads a file with an event or a message, or a list of them; `-` is standard input.
 *
 * @throws CommandError with every problem on a line of its own: `upload.json:3:12: /detail must be an object`
 */
export const readEvents = async (file: string, io: InputIo): Promise<readonly Entry[]> => {
  const { name, text } = await readInput(file, io);
  const content = parseJson(text, name);
  const values = Array.isArray(content) ? content : [content];
  const problems = Array.isArray(content)
    ? values.flatMap((value, index) => findProblems(value, `/${index}`))
    : findProblems(content, '');
  if (values.length === 0) problems.push({ path: '', message: 'has no event and no message' });
  if (problems.length === 0) return values.map(toEntry);
  const placeOf = locateValues(text);
  throw new CommandError(
    problems.map(({ path, message }) => `${name}:${placeOf(path)}: ${path || '/'} ${message}`).join('\n'),
  );
};

const isMessage = (value: Readonly<Record<string, unknown>>): boolean => Object.hasOwn(value, 'queue');

const findProblems = (value: unknown, path: string): Problem[] => {
  if (!isPlainObject(value) || (!isMessage(value) && !Object.hasOwn(value, 'source')))
    return [{ path, message: 'must be an event, with "source", or a message, with "queue"' }];
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
