import * as v from 'valibot';
import { MAX_EXECUTIONS } from '../executions/bulk/bulk-retry.ts';
import { EXECUTION_STATUSES, isFinal } from '../executions/record/execution-store.ts';
import { defineRoute } from '../http/api-route.ts';
import { cursor, idText, optional, pageSize, positive, text, time, word } from '../shared/query-fields.ts';
import { described, executionStatus, instant, nextCursor } from './answers.ts';

const MAX_RATE = 100;
const RATE = `must be an integer from 1 to ${MAX_RATE}`;
const SHARE = 'must be a number from 0 to 1';

const FINAL_STATUSES = EXECUTION_STATUSES.filter(isFinal);
const STATUSES = `must be a list of ${FINAL_STATUSES.join(', ')}`;

const flag = v.optional(v.boolean(), false);

export const bulkFilter = v.pipe(
  v.strictObject({
    workflowId: optional(idText('must be a workflow id'), 'Required without `all`'),
    all: described(flag, 'Whether executions of all workflows match'),
    status: v.optional(
      v.pipe(
        v.array(v.picklist(FINAL_STATUSES, `must be one of ${FINAL_STATUSES.join(', ')}`)),
        v.minLength(1, STATUSES),
        v.maxLength(FINAL_STATUSES.length, STATUSES),
      ),
      ['failed', 'timedOut'],
    ),
    /** The period of their starts. */
    from: time,
    to: time,
    failureNode: optional(text, 'The node at which they failed'),
    failureName: optional(text, 'The name of their failure: `HttpStatusError`'),
    workflowVersion: optional(positive, 'The version of the workflow that they ran'),
  }),
  v.check(
    ({ all, workflowId }) => all === (workflowId === null),
    'must have either workflowId or "all": true',
  ),
);

const bulkRequest = v.strictObject({
  filter: bulkFilter,
  from: optional(text, 'The node to start from; by default from the start'),
  version: v.nullish(word(['recorded', 'current']), 'recorded'),
  rate: described(
    v.optional(v.pipe(v.number(), v.integer(RATE), v.minValue(1, RATE), v.maxValue(MAX_RATE, RATE)), 10),
    'Executions to start per second',
  ),
  stopAtFailedShare: described(
    v.optional(v.pipe(v.number(), v.minValue(0, SHARE), v.maxValue(1, SHARE)), 0.5),
    'It stops once a greater share of its ended retries has failed again',
  ),
  dryRun: described(flag, 'Whether to answer with the plan alone'),
});

const bulkPlan = {
  count: described(v.number(), 'How many executions can be retried'),
  byFailure: v.array(
    v.object({ nodeId: v.nullable(v.string()), name: v.nullable(v.string()), count: v.number() }),
  ),
  effects: described(
    v.array(
      v.object({
        workflowId: v.string(),
        nodeId: v.string(),
        type: v.string(),
        runsAgain: v.number(),
        mayRun: v.number(),
      }),
    ),
    'Nodes that act on the outside: how often they run again, and how many may run for the first time',
  ),
  refused: described(
    v.array(v.object({ reason: v.string(), count: v.number(), executionIds: v.array(v.string()) })),
    "What can't be retried, by reason, with the first ids",
  ),
  checkedUntil: described(instant, 'End of the period: `filter.to`, or now'),
  checkedSince: described(
    v.nullable(instant),
    `Start of the period that was checked, if more than ${MAX_EXECUTIONS} executions match, or they take too long; null if all were checked`,
  ),
};

const counts = v.object({
  total: v.number(),
  remaining: v.number(),
  open: v.number(),
  succeeded: v.number(),
  failedAgain: v.number(),
  refused: v.number(),
});

export const bulkRetrySummary = v.object({
  bulkRetryId: v.string(),
  state: v.picklist(['running', 'stopped', 'cancelled', 'done']),
  why: described(v.nullable(v.string()), 'Why it starts no more'),
  createdAt: instant,
  endedAt: described(v.nullable(instant), 'When the last of its retries had ended'),
  by: v.nullable(v.string()),
  filter: v.object({
    workflowId: v.nullable(v.string()),
    status: v.array(executionStatus),
    from: v.nullable(instant),
    to: instant,
    failureNode: v.nullable(v.string()),
    failureName: v.nullable(v.string()),
    workflowVersion: v.nullable(v.number()),
  }),
  from: v.nullable(v.string()),
  version: v.picklist(['recorded', 'current']),
  rate: v.number(),
  stopAtFailedShare: v.number(),
  counts,
});

export const bulkRetry = v.object({
  ...bulkRetrySummary.entries,
  refused: described(
    v.array(v.object({ executionId: v.string(), reason: v.string() })),
    'The first executions that it could not retry',
  ),
  refusedOmitted: v.number(),
});

export const startBulkRetryRoute = defineRoute({
  route: 'POST /api/admin/executions/retry',
  summary: 'retries all executions that match a filter, or with `dryRun` says what that would do',
  body: bulkRequest,
  answers: {
    200: v.object({ dryRun: v.literal(true), ...bulkPlan }),
    202: v.object({ bulkRetryId: v.string(), state: v.literal('running'), ...bulkPlan }),
  },
  problems: ['NOTHING_TO_RETRY', 'TOO_MANY_TO_RETRY'],
});

export const listBulkRetriesRoute = defineRoute({
  route: 'GET /api/admin/bulk-retries',
  summary: 'a page of the bulk retries, latest first',
  query: v.object({ limit: pageSize, cursor }),
  answers: {
    200: v.object({
      count: v.number(),
      bulkRetries: v.array(bulkRetrySummary),
      nextCursor,
      timestamp: instant,
    }),
  },
});

export const showBulkRetryRoute = defineRoute({
  route: 'GET /api/admin/bulk-retries/{bulkRetryId}',
  summary: 'how far a bulk retry is, and which executions it could not retry',
  answers: { 200: bulkRetry },
  problems: ['BULK_RETRY_NOT_FOUND'],
});

export const cancelBulkRetryRoute = defineRoute({
  route: 'POST /api/admin/bulk-retries/{bulkRetryId}/cancel',
  summary: 'cancels a bulk retry: it starts no more executions, and those that run continue',
  answers: { 200: bulkRetry },
  problems: ['BULK_RETRY_NOT_FOUND', 'BULK_RETRY_NOT_RUNNING'],
});
