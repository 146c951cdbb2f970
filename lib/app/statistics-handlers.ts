import { type Clock, isPlainObject, type Logger } from '@hookloom/plugin-kit';
import { readStatistics } from '../executions/statistics/read-statistics.ts';
import type { StatisticsStore, StreamedChange } from '../executions/statistics/statistics-store.ts';
import { answerRoute } from '../http/api-route.ts';
import { serveRoutes } from '../http/create-handler.ts';
import { answerJson } from '../shared/answer.ts';
import { isAppError } from '../shared/errors.ts';
import { showStatisticsRoute } from './statistics.ts';

interface StatisticsParts {
  readonly statistics: StatisticsStore;
  /** Reads a record of a stream: see `readChange`. */
  readonly readChange: (record: unknown) => Promise<StreamedChange>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * Counts what the streams of executions and requests report. A failing batch is delivered again, by Lambda, until its
 * records expire after a day.
 *
 * The mapping has a tumbling window only because Lambda names the shard then; the state of the window is not used.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-windows.html
 */
export const createAggregate =
  ({ statistics, readChange, logger }: Omit<StatisticsParts, 'clock'>) =>
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
    }
    return { state: {} }; // without it, Lambda counts the invocation as failed
  };

/** `GET /api/admin/statistics`: how many executions started and ended, and how long they took, by hour or by day. */
export const createShowStatistics = (parts: Omit<StatisticsParts, 'readChange'>) =>
  serveRoutes(parts, [
    answerRoute(showStatisticsRoute, async ({ query }) => {
      const now = parts.clock.now();
      const page = await readStatistics(query, parts.statistics, now);
      return answerJson(200, { ...page, timestamp: new Date(now).toISOString() });
    }),
  ]);
