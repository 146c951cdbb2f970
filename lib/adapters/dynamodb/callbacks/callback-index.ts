import type { Clock } from '@hookloom/plugin-kit';
import type { CallbackIndex, ListedCallback } from '../../../approvals/callback-index.ts';
import {
  type ExecutionStatus,
  isFinal,
  type ListPosition,
} from '../../../executions/record/execution-store.ts';
import { json, readText } from '../attributes.ts';
import {
  CALLBACK_KEYS,
  callbackKeyOf,
  callbackPartitions,
  EARLIER_CALLBACKS,
  earlierCallbacksOf,
  isExpired,
  toCallback,
  toIso,
} from '../executions/execution-item.ts';
import {
  ALL_TIMES,
  collectPage,
  type ListedKey,
  mergePartitions,
  type Partitions,
} from '../executions/read-lists.ts';
import { getItems, onTable, updateItem } from '../items.ts';

/** Maximum number of records read in one call. If many are of ended executions, the list is short and has a cursor. */
const MAX_RECORDS = 1_000;
/** What skipping another workflow's key costs, in records: at most 10,000 keys in one call. */
const OTHERS_COST = 0.1;

/** Lists pending callbacks by the attributes that they have in the index of executions until they are answered. */
export const createCallbackIndex = onTable(
  'executions',
  (table, clock: Pick<Clock, 'now'>): CallbackIndex => {
    /** Reads the callbacks with these keys that are still pending. */
    const readPending = async (keys: readonly string[]) => {
      const attributes = ['executionId', 'callback', 'answered', 'expiresAt'];
      const items = (await getItems(table, 'executionId', keys, attributes)).filter(
        (item) => !isExpired(item, clock.now()),
      );
      const callbacks = items.map((item) => [readText(item, 'executionId'), toCallback(item)] as const);
      const ids = new Set(callbacks.flatMap(([, { subject }]) => (subject ? [subject.executionId] : [])));
      const executions = await getItems(table, 'executionId', [...ids], ['executionId', 'status']);
      const open = new Set(
        executions
          .filter((item) => !isFinal(readText(item, 'status') as ExecutionStatus))
          .map((item) => readText(item, 'executionId')),
      );
      return callbacks.filter(
        (entry): entry is readonly [string, ListedCallback] =>
          entry[1].answered === undefined && open.has(entry[1].subject?.executionId ?? ''),
      );
    };

    /** First ordered by expiry, then those of earlier releases, ordered by opening. */
    async function* readKeys(
      workflowId: string | null,
      after: ListPosition | undefined,
    ): AsyncGenerator<ListedKey> {
      const read = (partitions: Partitions, first: string) =>
        mergePartitions(table, partitions, {
          order: 'ascending',
          range: [first, LAST],
          after,
          pageSize: workflowId === null ? 20 : 200,
        });
      const earlier: Partitions =
        workflowId === null
          ? { index: 'byTime', keys: [EARLIER_CALLBACKS] }
          : { index: 'byWorkflow', keys: [earlierCallbacksOf(workflowId)] };
      if (after?.part !== earlier.keys[0]) {
        const partitions: Partitions = { index: 'byWorkflow', keys: callbackPartitions(workflowId) };
        for await (const key of read(partitions, toIso(clock.now())))
          yield workflowId === null || key.at.endsWith(`#${workflowId}`)
            ? key
            : { ...key, skipCost: OTHERS_COST };
      }
      yield* read(earlier, FIRST);
    }

    return {
      list: async (workflowId, limit, after) => {
        const options = { limit, batchSize: limit + 1, maxRecords: MAX_RECORDS };
        const { found, next } = await collectPage(readKeys(workflowId, after), options, readPending);
        return { callbacks: found, next };
      },

      close: async (executionId, name, answered) => {
        await updateItem(
          table,
          { executionId: callbackKeyOf(executionId, name) },
          {
            condition: 'attribute_exists(#executionId)',
            set: { answered: json(answered) },
            remove: CALLBACK_KEYS,
          },
        );
      },
    };
  },
);

/** Sort keys before and after all times. */
const [FIRST, LAST] = ALL_TIMES;
