import type { Clock } from '@hookloom/plugin-kit';
import pLimit from 'p-limit';
import {
  type ExecutionStore,
  type ExecutionSummary,
  type FindLastExecutions,
  isTrial,
} from '../../../executions/record/execution-store.ts';
import { getItems, onTable } from '../items.ts';
import { isExpired, toSummary, workflowPartitions } from './execution-item.ts';
import { ALL_TIMES, mergePartitions, SUMMARY_ATTRIBUTES } from './read-lists.ts';

const CONCURRENT_QUERIES = 25;

/**
 * Finds the last execution of each workflow. The index has no order over workflows, and an item that held the last one
 * would cost each run a write: so a workflow costs one query of half a read unit, nine if it is or was of high volume.
 * The records are read a hundred in a call.
 */
export const createFindLastExecutions = onTable(
  'executions',
  (table, executions: Pick<ExecutionStore, 'list'>, clock: Pick<Clock, 'now'>): FindLastExecutions =>
    async (workflows) => {
      const inTurn = pLimit(CONCURRENT_QUERIES);
      const keys = await inTurn.map(workflows, async ({ definition: { id }, wasHighVolume }) => {
        const keys = wasHighVolume === true ? workflowPartitions(id) : [id];
        const options = { order: 'descending', range: ALL_TIMES, pageSize: 1 } as const;
        const { value: key } = await mergePartitions(table, { index: 'byWorkflow', keys }, options).next();
        return key === undefined ? [] : [{ id, executionId: key.executionId }];
      });
      const ids = keys.flat();
      const items = await getItems(
        table,
        'executionId',
        ids.map(({ executionId }) => executionId),
        SUMMARY_ATTRIBUTES,
      );
      const found = new Map<string, ExecutionSummary>();
      for (const item of items) {
        const summary = toSummary(item);
        if (!isExpired(item, clock.now()) && !isTrial(summary)) found.set(summary.workflowId, summary);
      }
      // The last one has expired, but an earlier one that took longer may not have.
      const left = ids.filter(({ id }) => !found.has(id));
      await inTurn.map(left, async ({ id }) => {
        const [last] = (await executions.list({ workflowId: id, limit: 1, isTrial: false })).executions;
        if (last !== undefined) found.set(id, last);
      });
      return found;
    },
);
