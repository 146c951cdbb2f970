import { isPlainObject, type Logger } from '@hookloom/plugin-kit';
import type { StatisticsStore, StreamedChange } from '../executions/statistics/statistics-store.ts';
import { isAppError } from '../shared/errors.ts';
/**
 * Counts what the streams of executions and requests report. A failing batch is delivered again, by Lambda, until its
 * records expire after a day.
 *
 * The mapping has a tumbling window only because Lambda names the shard then; the state of the window is not used.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-windows.html
 */
export const createAggregate =
  ({
    statistics,
    readChange,
    watchLimits,
    logger,
  }: {
    readonly statistics: Pick<StatisticsStore, 'add'>;
    /** Reads a record of a stream: see `readChange`. */
    readonly readChange: (record: unknown) => Promise<StreamedChange>;
    /** Called with what was counted: see `createWatchLimits`. */
    readonly watchLimits: (changes: readonly StreamedChange[]) => Promise<void>;
    readonly logger: Logger;
  }) =>
  async (event: unknown): Promise<{ readonly state: object }> => {
    const { Records, shardId } = isPlainObject(event) ? event : {};
    const changes: StreamedChange[] = [];
    for (const record of Array.isArray(Records) ? Records : []) {
      try {
        changes.push(await readChange(record));
      } catch (cause) {
        if (isAppError(cause)) throw cause;
        logger.error('A change is missing in the statistics, because it could not be read.', { cause });
      }
    }
    if (changes.length > 0) {
      if (typeof shardId !== 'string' || shardId === '')
        throw new Error('the event has no shardId: its event source mapping needs a tumbling window');
      await statistics.add(shardId, changes);
      try {
        await watchLimits(changes);
      } catch (cause) {
        // What was counted stays counted; the next batch of these workflows checks them again.
        logger.error('The limits of cost of workflows could not be checked.', { cause });
      }
    }
    return { state: {} }; // without it, Lambda counts the invocation as failed
  };
