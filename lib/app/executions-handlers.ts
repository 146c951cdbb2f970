import type { Clock, Logger } from '@hookloom/plugin-kit';
import * as v from 'valibot';
import { type CompareParts, compareWith } from '../admin/compare-executions.ts';
import { describeExplained, explainExecution } from '../admin/explain-execution.ts';
import { type CancelParts, cancelExecution } from '../executions/lifecycle/cancel-execution.ts';
import { findReconciledExecution } from '../executions/lifecycle/finish-execution.ts';
import {
  type RetryOptions,
  type RetryParts,
  retryExecution,
} from '../executions/lifecycle/retry-execution.ts';
import { describeSummary } from '../executions/record/describe-execution.ts';
import { createHandler, onlyMethod, serveRoutes } from '../http/create-handler.ts';
import { readOptions } from '../http/read-json-body.ts';
import { parseQuery, readPathParameter, readQuery } from '../http/read-parameters.ts';
import { answerJson } from '../shared/answer.ts';
import { countStart, measure } from '../shared/metrics.ts';
import { parseFields, text, word } from '../shared/query-fields.ts';
import { type KeyedListParts, keyedListQuery, listKeyed } from '../webhooks/requests/list-keyed.ts';

interface Served {
  readonly logger: Logger;
  readonly clock: Clock;
}

/** `GET /api/admin/executions`: a page of the executions of one or all workflows. */
export const createListExecutions = (parts: Served & KeyedListParts) =>
  createHandler(
    parts,
    onlyMethod('GET', parts.clock, async ({ event }) => {
      const { executions, ...page } = await listKeyed(parseQuery(event, keyedListQuery), parts);
      return answerJson(200, {
        count: executions.length,
        executions: executions.map(describeSummary),
        ...page,
        timestamp: new Date(parts.clock.now()).toISOString(),
      });
    }),
  );

/**
 * `GET /api/admin/executions/{executionId}`: one execution, node by node, and why each did what it did. With
 * `/comparison`: what it did differently from another one.
 */
export const createShowExecution = (parts: Served & CompareParts) =>
  serveRoutes(parts, {
    'GET /api/admin/executions/{executionId}': onlyMethod('GET', parts.clock, async ({ event }) => {
      readQuery(event, []);
      const record = await findReconciledExecution(readId(event), parts);
      const explained = await explainExecution(record, parts);
      return { ...answerJson(200, describeExplained(explained)), executionId: record.executionId };
    }),

    'GET /api/admin/executions/{executionId}/comparison': onlyMethod(
      'GET',
      parts.clock,
      async ({ event }) => {
        const { with: otherId } = parseQuery(event, comparisonQuery);
        const executionId = readId(event);
        const comparison = await compareWith(executionId, otherId, parts);
        return { ...answerJson(200, comparison), executionId };
      },
    ),
  });

const comparisonQuery = v.object({
  /** The execution to compare with; null for the workflow's last success. */
  with: v.nullish(text, null),
});

/** `POST /api/admin/executions/{executionId}/retry`: the same request again, as a new execution. */
export const createRetryExecution = (parts: Served & RetryParts) =>
  createHandler(
    parts,
    onlyMethod('POST', parts.clock, async ({ event, addLogFields }) => {
      const retryOf = readId(event);
      const start = await retryExecution(retryOf, readRetryOptions(event, parts.clock.now()), parts);
      const { executionId, workflowId, workflowVersion, status, hasMetrics } = start;
      addLogFields({ workflowId, ...measure(countStart(hasMetrics)) });
      const answer = answerJson(202, { executionId, retryOf, workflowId, workflowVersion, status });
      return { ...answer, executionId };
    }),
  );

/** `POST /api/admin/executions/{executionId}/cancel`: cancels an execution. */
export const createCancelExecution = (parts: Served & CancelParts) =>
  createHandler(
    parts,
    onlyMethod('POST', parts.clock, async ({ event }) => {
      readQuery(event, []);
      const executionId = readId(event);
      await cancelExecution(executionId, parts);
      return { ...answerJson(200, { executionId, status: 'cancelled' }), executionId };
    }),
  );

const readId = (event: unknown): string => readPathParameter(event, 'executionId');

const retryOptions = v.object({
  from: v.nullish(text, null),
  version: v.nullish(word(['recorded', 'current']), 'recorded'),
});

const readRetryOptions = (event: unknown, now: number): RetryOptions =>
  parseFields(retryOptions, readOptions(event, { names: Object.keys(retryOptions.entries) }, now));
