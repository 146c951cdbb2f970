import type { Clock } from '@hookloom/plugin-kit';
import {
  countHappening,
  type Happening,
  noCounts,
  packCounts,
  unpackCounts,
} from '../../../executions/statistics/counts.ts';
import {
  hourOf,
  STATISTICS_DAYS,
  type StatisticsStore,
  type StreamedChange,
} from '../../../executions/statistics/statistics-store.ts';
import { STORE_UNAVAILABLE } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import { workThrough } from '../../../shared/work-through.ts';
import { longJson, readLongJson, readText } from '../attributes.ts';
import { toExpiry, toIso } from '../executions/execution-item.ts';
import { getItem, ifStill, onTable, putItem, queryPages } from '../items.ts';

/** The partition of all workflows together. No workflow has this id. */
const ALL = '*';

const AT_ONCE = 8;

/** How often a write is tried if another process writes the same item. */
const MAX_TRIES = 5;

/** Length of an hour such as `2026-11-25T04`. */
const HOUR_LENGTH = 13;

const toHourText = (hour: number): string => toIso(hour).slice(0, HOUR_LENGTH);

/**
 * One item for each workflow, hour and shard of a stream, and one for all workflows. It has the sequence number of the
 * last change that it counts, written together with the counts: what comes with a lower one is counted already. This
 * holds because Lambda delivers the changes of a shard in order the first time, and at least once. Since no two shards
 * share an item, they need not wait for each other.
 */
export const createStatisticsStore = onTable(
  'statistics',
  (table, clock: Pick<Clock, 'now'>): StatisticsStore => {
    const addTo = async ({ workflowId, hour, changes }: HourOfWorkflow, shardId: string): Promise<void> => {
      const key = { workflowId, hourOfShard: `${toHourText(hour)}#${shardId}` };
      for (let tries = 1; tries <= MAX_TRIES; tries++) {
        const stored = await getItem(table, key);
        const upTo = stored === null ? null : readText(stored, 'upTo');
        const fresh = changes.filter(({ sequence }) => upTo === null || sequence > BigInt(upTo));
        const last = fresh.at(-1);
        if (last === undefined) return;
        const counts = stored === null ? noCounts() : unpackCounts(readLongJson(stored, 'counts', EMPTY));
        for (const { happening } of fresh) countHappening(counts, happening, workflowId !== ALL);
        const attributes = {
          counts: longJson(packCounts(counts)),
          upTo: String(last.sequence),
          expiresAt: toExpiry(hour, STATISTICS_DAYS),
        };
        if (await putItem(table, key, attributes, ifStill('upTo', upTo, 'workflowId'))) return;
      }
      throw new AppError(
        STORE_UNAVAILABLE,
        {},
        new Error(`other processes write ${key.hourOfShard} as well`),
      );
    };

    return {
      add: async (shardId, changes) => {
        const oldest = clock.now() - STATISTICS_DAYS * 24 * 3_600_000;
        const hours = groupByHour(changes).filter(({ hour }) => hour > oldest);
        const options = { atOnce: AT_ONCE, mayGoOn: () => true };
        await workThrough(hours, options, (one) => addTo(one, shardId));
      },

      read: async function* (workflowId, from, to) {
        const pages = queryPages(table, {
          KeyConditionExpression: 'workflowId = :workflowId AND hourOfShard BETWEEN :from AND :to',
          values: {
            ':workflowId': workflowId ?? ALL,
            ':from': toHourText(from),
            ':to': `${toHourText(to)}~`, // sorts after all shards of the hour
          },
        });
        for await (const { items } of pages)
          for (const item of items)
            yield {
              hour: Date.parse(`${readText(item, 'hourOfShard').slice(0, HOUR_LENGTH)}:00Z`),
              counts: unpackCounts(readLongJson(item, 'counts', EMPTY)),
            };
      },
    };
  },
);

const EMPTY = packCounts(noCounts());

interface HourOfWorkflow {
  readonly workflowId: string;
  readonly hour: number;
  readonly changes: { readonly sequence: bigint; readonly happening: Happening }[];
}

const groupByHour = (changes: readonly StreamedChange[]): readonly HourOfWorkflow[] => {
  const groups = new Map<string, HourOfWorkflow>();
  for (const { sequence, happenings } of changes) {
    for (const happening of happenings) {
      for (const workflowId of [happening.workflowId, ALL]) {
        const hour = hourOf(happening.at);
        const key = `${hour} ${workflowId}`;
        const group = groups.get(key) ?? { workflowId, hour, changes: [] };
        group.changes.push({ sequence, happening });
        groups.set(key, group);
      }
    }
  }
  return [...groups.values()];
};
