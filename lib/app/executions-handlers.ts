import type { Clock, Logger } from '@hookloom/plugin-kit';
import { claimRetry } from '../executions/deliveries/claim-delivery.ts';
import { compareWith } from '../executions/explain/compare-executions.ts';
import { describeExplained, explainExecution } from '../executions/explain/explain-execution.ts';
import { type CancelPorts, cancelExecution } from '../executions/lifecycle/cancel-execution.ts';
import { findReconciledExecution } from '../executions/lifecycle/finish-execution.ts';
import { findRetry, retryEdited, retryExecution } from '../executions/lifecycle/retry-execution.ts';
import type { FinishPorts, Ports, RetryPorts } from '../executions/ports.ts';
import { describeSummary } from '../executions/record/describe-execution.ts';
import type { ExecutionRecord, ExecutionStart } from '../executions/record/execution-store.ts';
import { answerRoute } from '../http/api-route.ts';
import { readCaller, serveRoutes } from '../http/create-handler.ts';
import { answerJson } from '../shared/answer.ts';
import { QUERY_INVALID } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { countStart, measure } from '../shared/metrics.ts';
import { type KeyedListPorts, listKeyed } from '../webhooks/requests/list-keyed.ts';
import {
  cancelExecutionRoute,
  compareExecutionsRoute,
  listExecutionsRoute,
  retryExecutionRoute,
  showExecutionRoute,
} from './executions.ts';

interface Served {
  readonly logger: Logger;
  readonly clock: Clock;
}

/** `GET /api/admin/executions`: a page of the executions of one or all workflows. */
export const createListExecutions = (parts: Served & KeyedListPorts) =>
  serveRoutes(parts, [
    answerRoute(listExecutionsRoute, async ({ query }) => {
      const { executions, ...page } = await listKeyed(query, parts);
      return answerJson(200, {
        count: executions.length,
        executions: executions.map(describeSummary),
        ...page,
        timestamp: new Date(parts.clock.now()).toISOString(),
      });
    }),
  ]);

/**
 * `GET /api/admin/executions/{executionId}`: one execution, node by node, and why each did what it did. With
 * `/comparison`: what it did differently from another one.
 */
export const createShowExecution = (parts: Served & FinishPorts & Pick<Ports, 'workflows'>) =>
  serveRoutes(parts, [
    answerRoute(showExecutionRoute, async ({ params }) => {
      const record = await findReconciledExecution(params.executionId, parts);
      const explained = await explainExecution(record, parts);
      return { ...answerJson(200, describeExplained(explained)), executionId: record.executionId };
    }),

    answerRoute(compareExecutionsRoute, async ({ params: { executionId }, query }) => {
      const comparison = await compareWith(executionId, query.with, parts);
      return { ...answerJson(200, comparison), executionId };
    }),
  ]);

interface BodySettings {
  readonly settings: { readonly maxBodyBytes: number; readonly maxBodyDepth: number };
}

/** Two levels more than an input may have: the options themselves, and `input`. */
const toLimits = ({ settings: { maxBodyBytes, maxBodyDepth } }: BodySettings) => ({
  maxBytes: maxBodyBytes,
  maxDepth: maxBodyDepth + 2,
});

/**
 * `POST /api/admin/executions/{executionId}/retry`: the same or an edited request again, as a new execution; with an
 * `Idempotency-Key`, one for all requests with this key.
 */
export const createRetryExecution = (
  parts: Served &
    RetryPorts &
    Pick<Ports, 'blobs' | 'checkInput' | 'deliveries'> &
    BodySettings & { readonly windowMs: number },
) => {
  const retry = answerRoute(
    retryExecutionRoute,
    async ({ event, params: { executionId: retryOf }, options, headers, addLogFields }) => {
      const { input, from, version } = options;
      if (input !== null && from !== null)
        throw new AppError(QUERY_INVALID, {
          reason:
            'input replaces what the trigger received, so it needs a retry from the start: leave out from',
        });
      const key = headers['idempotency-key'] || null;
      const { windowMs } = parts;
      const content = JSON.stringify({ from, version, input });
      const claimed = key === null ? null : await claimRetry({ retryOf, key, content, windowMs }, parts);
      const claimedId = claimed?.executionId ?? null;
      const find = () => (claimedId === null ? null : findRetry(retryOf, claimedId, parts));
      const begin = () =>
        input === null
          ? retryExecution(retryOf, { from, version }, parts, claimedId)
          : retryEdited(retryOf, version, { input, by: readCaller(event) }, parts, claimedId);
      const toAnswer = (
        { executionId, workflowId, workflowVersion, status }: ExecutionStart | ExecutionRecord,
        duplicate: { readonly duplicate?: true } = {},
      ) => {
        addLogFields({ workflowId, retryOf, workflowVersion });
        const answer = { executionId, retryOf, workflowId, workflowVersion, status, ...duplicate };
        return { ...answerJson(202, answer), executionId };
      };
      const before = claimed?.isDuplicate === true ? await find() : null;
      if (before !== null) return toAnswer(before, { duplicate: true });
      const start = await begin();
      // Another request with this key has started it in the meantime.
      if (start.isKnown === true) return toAnswer((await find()) ?? start, { duplicate: true });
      addLogFields(measure(countStart(start.hasMetrics)));
      if (start.editedInput !== undefined) addLogFields({ edited: 'input' });
      return toAnswer(start);
    },
    toLimits(parts),
  );
  return serveRoutes(parts, [retry]);
};

/** `POST /api/admin/executions/{executionId}/cancel`: cancels an execution. */
export const createCancelExecution = (parts: Served & CancelPorts) =>
  serveRoutes(parts, [
    answerRoute(cancelExecutionRoute, async ({ params: { executionId } }) => {
      const isStopped = await cancelExecution(executionId, parts);
      const stopped = isStopped ? {} : { stopped: false as const };
      return { ...answerJson(200, { executionId, status: 'cancelled', ...stopped }), executionId };
    }),
  ]);
