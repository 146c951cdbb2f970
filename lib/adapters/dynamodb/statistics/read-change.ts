import { isPlainObject } from '@hookloom/plugin-kit';
import { usageOf } from '../../../executions/cost/usage.ts';
import {
  EXECUTION_STATUSES,
  type ExecutionRecord,
  type ExecutionStatus,
  type FinalStatus,
  isFinal,
  isTrial,
} from '../../../executions/record/execution-store.ts';
import type { Happening } from '../../../executions/statistics/counts.ts';
import type { StreamedChange } from '../../../executions/statistics/statistics-store.ts';
import type { Item } from '../attributes.ts';
import { toRecord, toSummary } from '../executions/execution-item.ts';
import { itemSize } from '../item-size.ts';
import { toRequest } from '../requests/request-store.ts';
import { checkVersions } from '../schema/schema.ts';

/** At most 40 digits: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_StreamRecord.html */
const SEQUENCE = /^\d{1,40}$/;

/**
 * Reads a record of the stream of executions or of requests, as Lambda passes it.
 * https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 *
 * @param hasBus - whether ends of executions are published to an event bus
 * @returns with no happenings for a change that is not counted
 * @throws AppError `DATA_VERSION_UNSUPPORTED` for an item of a later release
 * @throws Error for anything that is not a record of these streams
 */
export const readChange = async (record: unknown, hasBus = false): Promise<StreamedChange> => {
  const { eventName, sequence, before, after } = await readImages(record);
  const happenings =
    after?.place === undefined
      ? ofExecution(before, after, hasBus)
      : eventName === 'INSERT'
        ? ofRequest(after)
        : [];
  return { sequence: BigInt(sequence), happenings };
};

/**
 * Reads an execution from the record of the change that has ended it.
 *
 * @returns null for any other change, and for a trial
 * @throws see {@link readChange}
 */
export const readEnd = async (record: unknown): Promise<ExecutionRecord | null> => {
  const { before, after } = await readImages(record);
  const [was, is] = [statusOf(before), statusOf(after)];
  if (after === null || is === null || !isEnd(was, is)) return null;
  const ended = toRecord(after);
  return isTrial(ended) ? null : ended;
};

/** Whether a change of the status is the end of an execution. */
const isEnd = (was: ExecutionStatus | null, is: ExecutionStatus): is is FinalStatus =>
  isFinal(is) && (was === null || !isFinal(was));

/** A record with the item before and after the change. */
const readImages = async (record: unknown) => {
  const { eventName, dynamodb } = toMap(record);
  const { SequenceNumber, OldImage, NewImage } = toMap(dynamodb);
  if (typeof SequenceNumber !== 'string' || !SEQUENCE.test(SequenceNumber))
    throw new Error('a record of a stream has no sequence number');
  const [before, after] = [toItem(OldImage), toItem(NewImage)];
  await checkVersions(
    undefined,
    [before, after].filter((item) => item !== null),
  );
  return { eventName, sequence: SequenceNumber, before, after };
};

/** What a change of a record counts: its first write is the start, the first with a final status the end. */
const ofExecution = (before: Item | null, after: Item | null, hasBus: boolean): readonly Happening[] => {
  const [was, is] = [statusOf(before), statusOf(after)];
  if (before !== null && after === null && was === 'accepted') {
    const { workflowId, startedAt } = toSummary(before);
    return [{ kind: 'withdrawn', workflowId, at: startedAt }];
  }
  if (after === null || is === null) return [];
  const summary = toSummary(after);
  if (isTrial(summary)) return [];
  const { workflowId, startedAt, endedAt } = summary;
  const happenings: Happening[] = [];
  if (was === null) happenings.push({ kind: 'started', workflowId, at: startedAt });
  if (isEnd(was, is) && endedAt !== null) {
    const record = toRecord(after);
    happenings.push({
      kind: 'ended',
      workflowId,
      at: endedAt,
      status: is,
      durationMs: endedAt - startedAt,
      nodes: record.nodes,
      usage: usageOf(record, { bytes: itemSize(after), hasBus }),
      ...(record.maxCost === undefined ? {} : { maxCost: record.maxCost }),
    });
  }
  return happenings;
};

/** The status of an execution; null for other items of the table. */
const statusOf = (item: Item | null): ExecutionStatus | null =>
  EXECUTION_STATUSES.find((status) => status === item?.status?.S) ?? null;

const ofRequest = (item: Item): readonly Happening[] => {
  if (!/^r/.test(item.place?.S ?? '')) return [];
  const { workflowId, receivedAt, refusal } = toRequest(item);
  return refusal === null ? [] : [{ kind: 'refused', workflowId, at: receivedAt, code: refusal.code }];
};

const toMap = (value: unknown): Readonly<Record<string, unknown>> => (isPlainObject(value) ? value : {});

const toItem = (image: unknown): Item | null => (isPlainObject(image) ? (image as Item) : null);
