import { type Clock, type Ids, isPlainObject } from '@hookloom/plugin-kit';
import type { Context } from 'aws-lambda';
import type * as v from 'valibot';
import {
  type BulkRetryRequest,
  type BulkRetryStore,
  describeBulkRetry,
  MARKS,
  MAX_EXECUTIONS,
} from '../executions/bulk/bulk-retry.ts';
import { planBulkRetry } from '../executions/bulk/plan-bulk-retry.ts';
import { type RunBulkPorts, runBulkRetry } from '../executions/bulk/run-bulk-retry.ts';
import type { Ports } from '../executions/ports.ts';
import { readCursor, writeCursor } from '../executions/record/cursor.ts';
import { answerRoute } from '../http/api-route.ts';
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
import {
  cancelBulkRetryRoute,
  listBulkRetriesRoute,
  showBulkRetryRoute,
  startBulkRetryRoute,
} from './bulk-retries.ts';

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
    const plan = await planBulkRetry(request, parts, () => hasTime(context, MARGIN_MS));
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

const BULK_RETRY_ID = /^[0-9]{8}T[0-9]{9}-[A-Za-z0-9]{8}$/;

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

const hasTime = ({ getRemainingTimeInMillis }: Partial<Context>, marginMs: number): boolean =>
  (getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY) > marginMs;

/** @throws AppError `BODY_INVALID` for a period that ends before it begins */
const toBulkRequest = (
  { filter, ...options }: v.InferOutput<typeof startBulkRetryRoute.body>,
  now: number,
): BulkRetryRequest & { readonly dryRun: boolean } => {
  const { all: _, status, from, to, ...fields } = filter;
  // Without an end, the retries themselves would match.
  const until = Math.min(to ?? now, now);
  if (from !== null && from > until)
    throw new AppError(BODY_INVALID, { reason: '/filter/from must not be later than /filter/to, or now' });
  return { ...options, filter: { ...fields, from, to: until, statuses: [...new Set(status)] } };
};

interface RunnerParts extends RunBulkPorts {
  readonly invokeRunner: AdminParts['invokeRunner'];
}

/** Lambda ends the process after its timeout; the next one continues at once. */
const HANDOVER_MS = 30_000;

/**
 * Runs bulk retries: the one of the event, or on the schedule those that wait, or whose process has crashed. Shortly
 * before its time is up, it invokes itself to continue.
 */
export const createRetryExecutions =
  (parts: RunnerParts) =>
  async (event: unknown, context: Partial<Context> = {}): Promise<void> => {
    const { bulkRetryId } = isPlainObject(event) ? event : {};
    const known = typeof bulkRetryId === 'string' && BULK_RETRY_ID.test(bulkRetryId) ? [bulkRetryId] : null;
    const owner = context.awsRequestId ?? parts.ids.next();
    const failures: unknown[] = [];
    for (const id of known ?? (await parts.bulkRetries.findActive())) {
      const mayGoOn = () => hasTime(context, HANDOVER_MS);
      try {
        const goesOn = await runBulkRetry(id, { owner, mayGoOn }, parts);
        if (goesOn) await parts.invokeRunner(id);
      } catch (cause) {
        failures.push(cause);
        parts.logger.error('A bulk retry could not continue.', { bulkRetryId: id, cause });
      }
    }
    // Lambda invokes it again, and the alarm on its errors begins.
    if (failures.length > 0) throw failures[0];
  };
