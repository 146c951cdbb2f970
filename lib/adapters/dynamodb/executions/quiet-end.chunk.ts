import type { ExecutionEnd, ExecutionRecord } from '../../../executions/record/execution-store.ts';
import type { Change } from '../items.ts';
import {
  type Expiry,
  IS_OPEN,
  OUTBOX_LEASE_MS,
  SWEPT_ATTRIBUTES,
  timeShardOf,
  toEndAttributes,
  toSweep,
  unlessSwept,
} from './execution-item.ts';

/**
 * Ends a record whose indexes are throttled. DynamoDB then refuses every write that changes a key of an index, so this
 * one changes none, and the end is listed later ({@link toListingChange}).
 * @param isSwept - whether to add it to the index of sweeps. A record that is already there, like the record of a
 * background run, is not changed
 */
export const toQuietEndChange = (
  executionId: string,
  end: ExecutionEnd,
  { compute, values }: Expiry,
  isSwept: boolean,
): Change => {
  const sweep = unlessSwept(isSwept ? toSweep(executionId, 'active', end.endedAt + OUTBOX_LEASE_MS) : {});
  return {
    ...IS_OPEN,
    set: { ...toEndAttributes(end), isUnlisted: true },
    compute: { ...compute, ...sweep.compute },
    values: { ...IS_OPEN.values, ...values, ...sweep.values },
  };
};

/** Lists an end made by {@link toQuietEndChange}. */
export const toListingChange = ({
  executionId,
  status,
  isInOutbox,
}: Pick<ExecutionRecord, 'executionId' | 'status' | 'isInOutbox'>): Change => {
  const isBad = status !== 'succeeded';
  return {
    condition: 'attribute_exists(#isUnlisted)',
    set: { timeShard: timeShardOf(executionId, isBad) },
    compute: isBad ? { failedWorkflowId: '#workflowId' } : {},
    remove: ['isUnlisted', ...(isInOutbox ? [] : SWEPT_ATTRIBUTES)],
  };
};
