import type { Clock, Ids } from '@hookloom/plugin-kit';
import * as v from 'valibot';
import {
  BULK_RETRY_ID,
  type BulkRetryRequest,
  type BulkRetryStore,
  describeBulkRetry,
  MARKS,
  MAX_EXECUTIONS,
} from '../executions/bulk/bulk-retry.ts';
import { planBulkRetry } from '../executions/bulk/plan-bulk-retry.ts';
import type { Ports } from '../executions/ports.ts';
import { readCursor, writeCursor } from '../executions/record/cursor.ts';
import { EXECUTION_STATUSES, isFinal } from '../executions/record/execution-store.ts';
import { answerRoute, defineRoute } from '../http/api-route.ts';
import { readCaller, serveRoutes } from '../http/create-handler.ts';
import { answerJson } from '../shared/answer.ts';
import {
  BODY_INVALID,
  BULK_RETRY_NOT_FOUND,
  BULK_RETRY_NOT_RUNNING,
  NOTHING_TO_RETRY,
  TOO_MANY_TO_RETRY,
} from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { cursor, idText, optional, pageSize, positive, text, time, word } from '../shared/query-fields.ts';
import { described, executionStatus, instant, nextCursor, retryOnly } from './answers.ts';
import { remainingMs } from './calls.ts';

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
  only: retryOnly,
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
  only: v.nullable(v.literal('failedItems')),
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

interface AdminParts extends Pick<Ports, 'executions' | 'workflows' | 'openPlan' | 'ids' | 'logger'> {
  readonly bulkRetries: BulkRetryStore;
  /** Invokes the function that runs a bulk retry. @throws AppError `DISPATCH_REFUSED` */
  readonly invokeRunner: (bulkRetryId: string) => Promise<void>;
  readonly clock: Clock;
}

/** `POST /api/admin/executions/retry` and `/api/admin/bulk-retries`: retries of many executions. */
export const createBulkRetries = (parts: AdminParts) => {
  const { bulkRetries, clock, ids } = parts;

  const start = answerRoute(startBulkRetryRoute, async ({ event, context, body, addLogFields }) => {
    const { dryRun, ...request } = toBulkRequest(body, clock.now());
    const plan = await planBulkRetry(request, parts, () => remainingMs(context) > MARGIN_MS);
    const { executionIds, checkedSince, ...found } = plan;
    const described = {
      count: executionIds.length,
      ...found,
      checkedUntil: new Date(request.filter.to).toISOString(),
      checkedSince: checkedSince === null ? null : new Date(checkedSince).toISOString(),
    };
    if (dryRun) return answerJson(200, { dryRun: true, ...described });
    if (described.checkedSince !== null)
      throw new AppError(TOO_MANY_TO_RETRY, { max: MAX_EXECUTIONS, checkedSince: described.checkedSince });
    if (executionIds.length === 0) throw new AppError(NOTHING_TO_RETRY, {});
    const createdAt = clock.now();
    const bulkRetryId = createBulkRetryId(createdAt, ids);
    await bulkRetries.create(
      {
        bulkRetryId,
        request,
        by: readCaller(event),
        createdAt,
        marks: MARKS.remaining.repeat(executionIds.length),
        refused: [],
        stop: null,
        endedAt: null,
      },
      executionIds,
    );
    addLogFields({
      ...{ bulkRetryId, executions: executionIds.length, version: request.version },
      ...(request.filter.workflowId === null ? {} : { workflowId: request.filter.workflowId }),
    });
    await parts.invokeRunner(bulkRetryId).catch((cause: unknown) => {
      parts.logger.warn('The bulk retry is stored; it starts with the next schedule.', {
        bulkRetryId,
        cause,
      });
    });
    return answerJson(202, { bulkRetryId, state: 'running', ...described });
  });

  const list = answerRoute(listBulkRetriesRoute, async ({ query: { limit, cursor } }) => {
    const after = cursor === null ? null : readCursor(cursor, LIST).executionId;
    const { bulkRetries: found, next } = await bulkRetries.list(limit, after);
    return answerJson(200, {
      count: found.length,
      bulkRetries: found.map((bulk) => {
        const { refused: _, refusedOmitted: _omitted, ...shown } = describeBulkRetry(bulk);
        return shown;
      }),
      nextCursor: next === null ? null : writeCursor({ part: 'all', at: next, executionId: next }, LIST),
      timestamp: new Date(clock.now()).toISOString(),
    });
  });

  const show = answerRoute(showBulkRetryRoute, async ({ params }) => {
    const bulkRetryId = readBulkRetryId(params.bulkRetryId);
    const bulk = await bulkRetries.find(bulkRetryId);
    if (bulk === null) throw new AppError(BULK_RETRY_NOT_FOUND, { bulkRetryId });
    return answerJson(200, describeBulkRetry(bulk));
  });

  const cancel = answerRoute(cancelBulkRetryRoute, async ({ event, params, addLogFields }) => {
    const bulkRetryId = readBulkRetryId(params.bulkRetryId);
    const caller = readCaller(event);
    const stopped = await bulkRetries.stop(bulkRetryId, {
      state: 'cancelled',
      reason: caller === null ? 'cancelled by an operator' : `cancelled by ${caller}`,
    });
    addLogFields({ bulkRetryId });
    if (stopped !== null) return answerJson(200, describeBulkRetry(stopped));
    const known = await bulkRetries.find(bulkRetryId);
    if (known === null) throw new AppError(BULK_RETRY_NOT_FOUND, { bulkRetryId });
    throw new AppError(BULK_RETRY_NOT_RUNNING, { bulkRetryId, state: describeBulkRetry(known).state });
  });

  return serveRoutes(parts, [start, list, show, cancel]);
};

/** Identifies the list of bulk retries in cursors. */
const LIST = 'bulk retries';

/** @throws AppError `BULK_RETRY_NOT_FOUND` for what is no id, which the response does not echo */
const readBulkRetryId = (given: string): string => {
  if (BULK_RETRY_ID.test(given)) return given;
  throw new AppError(BULK_RETRY_NOT_FOUND, { bulkRetryId: 'with this id' });
};

/** An id that sorts by time. */
const createBulkRetryId = (now: number, ids: Ids): string => {
  const stamp = new Date(now).toISOString().replaceAll(/[-:.Z]/g, '');
  const suffix = ids
    .next()
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 8);
  return `${stamp}-${suffix}`;
};

/** Time that is left for the answer. */
const MARGIN_MS = 5_000;

/** @throws AppError `BODY_INVALID` for a period that ends before it begins */
const toBulkRequest = (
  { filter, ...options }: v.InferOutput<typeof startBulkRetryRoute.body>,
  now: number,
): BulkRetryRequest & { readonly dryRun: boolean } => {
  const { all: _, status, from, to, ...fields } = filter;
  if (options.only !== null && options.from !== null)
    throw new AppError(BODY_INVALID, {
      reason: 'with /only, everything that has succeeded keeps its result: leave out /from',
    });
  // Without an end, the retries themselves would match.
  const until = Math.min(to ?? now, now);
  if (from !== null && from > until)
    throw new AppError(BODY_INVALID, { reason: '/filter/from must not be later than /filter/to, or now' });
  return { ...options, filter: { ...fields, from, to: until, statuses: [...new Set(status)] } };
};
