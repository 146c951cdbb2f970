import { isDeepStrictEqual } from 'node:util';
import type { OnChange } from '../database/watch-changes.ts';
import type { JsonObject } from '../net/json.ts';
import { matchesPattern } from './pattern/matches-pattern.ts';
import { readFailures } from './serve-sources.ts';

/** A function that receives the changes of a table. */
export interface StreamMapping {
  readonly table: string;
  readonly functionKey: string;
  /** Attributes of the table's key. */
  readonly keys: readonly string[];
  /** Of which a record must match one; they are EventBridge's patterns. Null for all records. */
  readonly filterPatterns: readonly JsonObject[] | null;
  /** Whether the function may answer with the first record that it has not processed: `ReportBatchItemFailures`. */
  readonly reportsItemFailures?: boolean;
}

/** DynamoDB Streams and Lambda's event source mappings on this machine. */
interface Streams {
  readonly onChange: OnChange;
  /** Delivers what has changed. A failing batch is given up. */
  stop(): Promise<void>;
}

interface StreamOptions {
  readonly mappings: readonly StreamMapping[];
  readonly invoke: (functionKey: string, event: JsonObject) => Promise<unknown>;
  readonly log: (line: string) => void;
  /** How long changes are collected, and the delay before a failed batch is repeated; milliseconds. */
  readonly windowMs?: number;
}

const MAX_BATCH = 1_000;

/**
 * Delivers changes to functions, as Lambda does: in order, a batch of each mapping at a time, and again after a failure. A
 * process has one shard per table. What was not delivered when the process is killed is lost, unlike in AWS.
 */
export const createStreams = ({ mappings, invoke, log, windowMs = 500 }: StreamOptions): Streams => {
  const startedAt = Date.now();
  const queues = mappings.map((mapping) => ({ mapping, records: [] as JsonObject[] }));
  const running = new Map<StreamMapping, Promise<void>>();
  const stopped = new AbortController();
  let sequence = 0;

  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, windowMs).unref();
      stopped.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
      if (stopped.signal.aborted) resolve();
    });

  const deliver = async ({ mapping, records }: (typeof queues)[number]): Promise<void> => {
    while (records.length > 0) {
      await pause();
      const batch = records.slice(0, MAX_BATCH);
      const isLast = stopped.signal.aborted;
      const shardId = `shardId-${startedAt}-${mapping.table}`;
      try {
        const answer = await invoke(mapping.functionKey, { Records: batch, shardId, state: {} });
        const failed = mapping.reportsItemFailures === true ? findFailed(answer, batch) : -1;
        if (failed !== -1 && !isLast) {
          records.splice(0, failed);
          continue;
        }
      } catch (error) {
        log(`stream of ${mapping.table}: ${mapping.functionKey} failed: ${(error as Error).message}`);
        if (!isLast) continue;
      }
      records.splice(0, batch.length);
    }
    running.delete(mapping);
  };

  return {
    onChange: (table, before, after) => {
      if (isDeepStrictEqual(before, after)) return;
      sequence += 1;
      for (const queue of queues) {
        const { keys, filterPatterns } = queue.mapping;
        if (queue.mapping.table !== table) continue;
        const record = toRecord(before, after, keys, sequence);
        if (filterPatterns?.some((pattern) => matchesPattern(pattern, record)) === false) continue;
        queue.records.push(record);
        if (!running.has(queue.mapping)) running.set(queue.mapping, deliver(queue));
      }
    },
    stop: async () => {
      stopped.abort();
      await Promise.all(running.values());
    },
  };
};

/**
 * The place of the first record that a function reports as failed; -1 for none.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
const findFailed = (answer: unknown, batch: readonly JsonObject[]): number => {
  const failed = readFailures({ batchItemFailures: [], ...(answer as JsonObject | null) });
  return batch.findIndex(({ dynamodb }) => failed.includes(String((dynamodb as JsonObject).SequenceNumber)));
};

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_Record.html */
const toRecord = (
  before: object | null,
  after: object | null,
  keys: readonly string[],
  sequence: number,
): JsonObject => ({
  eventName: before === null ? 'INSERT' : after === null ? 'REMOVE' : 'MODIFY',
  eventSource: 'aws:dynamodb',
  dynamodb: {
    Keys: Object.fromEntries(Object.entries(after ?? before ?? {}).filter(([name]) => keys.includes(name))),
    SequenceNumber: String(sequence),
    ...(before === null ? {} : { OldImage: before as JsonObject }),
    ...(after === null ? {} : { NewImage: after as JsonObject }),
  },
});
