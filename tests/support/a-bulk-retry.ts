import type { BulkRetry } from '../../lib/executions/bulk/bulk-retry.ts';

/** A bulk retry of three executions that has just begun; what a test says of it is different. */
export const aBulkRetry = (changes: Partial<BulkRetry> = {}): BulkRetry => ({
  bulkRetryId: '20261125T043600123-a1b2c3d4',
  request: {
    filter: {
      workflowId: 'orders',
      statuses: ['failed'],
      from: null,
      to: 1_700_000_000_000,
      failureNode: null,
      failureName: null,
      workflowVersion: null,
    },
    from: null,
    version: 'recorded',
    rate: 10,
    stopAtFailedShare: 0.5,
  },
  by: 'arn:aws:iam::123456789012:user/ada',
  createdAt: Date.now(),
  marks: '...',
  refused: [],
  stop: null,
  endedAt: null,
  ...changes,
});
