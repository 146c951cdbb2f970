import type { Clock } from '@hookloom/plugin-kit';
import type { ObservedExecution, RunSource } from '../../../health/sample-runs.ts';
import type { StoredWorkflows } from '../../../health/stored-facts.ts';
import type { WorkflowDefinition } from '../../../workflows/definition/definition.ts';
import { type Item, readNumber, readText } from '../attributes.ts';
import { readNodes, toIso, workflowPartitions } from '../executions/execution-item.ts';
import { getItems, onTable, putItem, queryFirst } from '../items.ts';
import { scanDefinitions } from '../workflows/workflow-reader.ts';

/** Pages of 1 MB, which hold some thousand workflows. */
const MAX_PAGES = 8;
const TURN_MS = 5_000;

/**
 * Lists the current versions of all workflows, up to the limit. If there are more, half as many further pages are read
 * from a different place each time, so that every workflow is in some list.
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const createListDefinitions = onTable(
  'workflows',
  (
    table,
    {
      maxPages = MAX_PAGES,
      now = Date.now,
    }: { readonly maxPages?: number; readonly now?: () => number } = {},
  ) =>
    async (): Promise<StoredWorkflows> => {
      const ids = new Set<string>();
      const definitions: WorkflowDefinition[] = [];
      const read = async (pages: number, start: string | null): Promise<boolean> => {
        let after = start;
        for (let page = 0; page < pages; page++) {
          const { next, ...found } = await scanDefinitions(table, after);
          const read = found.workflows.map(({ definition }) => definition);
          definitions.push(...read.filter(({ id }) => !ids.has(id)));
          for (const id of found.ids) ids.add(id);
          if (next === null) return true;
          after = next;
        }
        return false;
      };
      const isComplete = await read(maxPages, null);
      // Items are ordered by a hash of their keys, so any key marks a place among them.
      if (!isComplete) await read(Math.ceil(maxPages / 2), `turn-${Math.floor(now() / TURN_MS)}`);
      return { ids: [...ids], definitions, isComplete };
    },
);

/** Finds a workflow's executions in the index, latest first, and reads the nodes of each record. */
export const createRunSource = onTable(
  'executions',
  (table): RunSource => ({
    find: async ({ id, isHighVolume }, from, limit) => {
      const [plain = id, sample = id] = workflowPartitions(id);
      const query = {
        IndexName: 'byWorkflow',
        ScanIndexForward: false,
        KeyConditionExpression: 'workflowId = :workflowId AND startedAt >= :from',
        values: { ':workflowId': isHighVolume ? sample : plain, ':from': toIso(from) },
      };
      const { items, hasMore } = await queryFirst(table, query, limit);
      return { ids: items.map((item) => readText(item, 'executionId')), hasMore };
    },

    read: async (ids) =>
      (await getItems(table, 'executionId', ids, ['executionId', 'nodes', 'ran', 'nodesOmitted'])).map(
        toObserved,
      ),
  }),
);

/** Reads a record without the nodes' data, which is most of it. */
const toObserved = (item: Item): ObservedExecution => ({
  nodes: readNodes(item).map(({ type, status, failure }) =>
    failure === undefined ? { type, status } : { type, status, failure },
  ),
  nodesOmitted: readNumber(item, 'nodesOmitted', 0),
});

/** One item among the executions, whose ids contain no space; the role of the function may write no other. */
const probeKey = { executionId: 'health check' };

const PROBE_SECONDS = 86_400;

/**
 * Writes an item to the table that every accepted delivery needs.
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const createWriteProbe = onTable(
  'executions',
  (table, clock: Clock) => () =>
    putItem(table, probeKey, { expiresAt: Math.floor(clock.now() / 1_000) + PROBE_SECONDS }),
);
