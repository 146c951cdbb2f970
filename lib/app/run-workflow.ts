import type { Clock } from '@hookloom/plugin-kit';
import type { Context } from 'aws-lambda';
import * as v from 'valibot';
import { findExecution } from '../executions/lifecycle/finish-execution.ts';
import type { BlobStore } from '../executions/record/blob-store.ts';
import { isFinal } from '../executions/record/execution-store.ts';
import { answerRoute, defineRoute } from '../http/api-route.ts';
import { serveRoutes } from '../http/create-handler.ts';
import { readWebhookEvent } from '../http/read-webhook-event.ts';
import { answerJson } from '../shared/answer.ts';
import { countStart, measure } from '../shared/metrics.ts';
import { jsonObject, optional, text } from '../shared/query-fields.ts';
import { readTraceparent } from '../shared/traceparent.ts';
import type { StartParts } from '../triggers/start-by-event.ts';
import { startByHand } from '../triggers/start-by-hand.ts';
import { readPreferences } from '../webhooks/answer-run.ts';
import { executionStatus } from './answers.ts';
import { checkWorkflowId, remainingMs } from './calls.ts';
import { failure } from './executions.ts';

const startedExecution = {
  executionId: v.string(),
  workflowId: v.string(),
  workflowVersion: v.number(),
  status: executionStatus,
};

const duplicate = v.optional(v.literal(true));

/** What is known of an execution that has ended, or responded. */
const end = {
  output: v.optional(v.unknown()),
  response: v.optional(v.unknown()),
  failure: v.optional(v.nullable(failure)),
};

export const runWorkflowRoute = defineRoute({
  route: 'POST /api/admin/workflows/{workflowId}/executions',
  summary: 'starts a workflow by hand; the body is the input of its trigger',
  query: v.object({ trigger: optional(text, 'The trigger to start; by default the only enabled one') }),
  headers: ['prefer', 'idempotency-key', 'traceparent'],
  body: v.optional(jsonObject, {}),
  answers: {
    200: v.object({ ...startedExecution, duplicate, ...end }),
    202: v.object({ ...startedExecution, duplicate }),
  },
  problems: [
    'WORKFLOW_NOT_FOUND',
    'BODY_SCHEMA_MISMATCH',
    'NOT_STARTABLE',
    'DELIVERY_KEY_REUSED',
    'WORKFLOW_INVALID',
    'DISPATCH_REFUSED',
  ],
});

export const showResultRoute = defineRoute({
  route: 'GET /api/admin/executions/{executionId}/result',
  summary: 'the result of an execution whose caller asked for it',
  headers: ['prefer'],
  answers: { 200: v.object({ ...startedExecution, ...end }) },
  problems: ['EXECUTION_NOT_FOUND'],
});

interface RunParts extends StartParts {
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly settings: { readonly maxBodyBytes: number; readonly maxBodyDepth: number };
}

/** Time reserved for the response, in milliseconds. */
const MARGIN_MS = 1_000;

/**
 * `POST /api/admin/workflows/{workflowId}/executions`: starts a workflow by hand; the body is the input of its trigger.
 * With `Prefer: wait=N`, the response contains the result if it is ready in time.
 * `GET /api/admin/executions/{executionId}/result`: the result of an execution whose caller asked for it.
 */
export const createRunWorkflow = (parts: RunParts) => {
  const { maxBodyBytes: maxBytes, maxBodyDepth: maxDepth } = parts.settings;
  const run = answerRoute(
    runWorkflowRoute,
    async ({ event, context, params, query, body, headers, addLogFields }) => {
      const workflowId = checkWorkflowId(params.workflowId);
      addLogFields({ workflowId });
      const key = headers['idempotency-key'] || null;
      const { waitSeconds } = readPreferences(headers.prefer);
      const { isDuplicate, hasMetrics, ...started } = await startByHand(
        {
          workflowId,
          triggerNodeId: query.trigger,
          input: body,
          key,
          content: readWebhookEvent(event, parts.clock.now()).rawBody,
          traceparent: readTraceparent(headers.traceparent),
          // A repeated request may wait for the execution that the first one started.
          keepsResult: key !== null || waitSeconds !== null,
        },
        parts,
      );
      const { executionId } = started;
      if (!isDuplicate) addLogFields({ ...measure(countStart(hasMetrics)) });
      const duplicate = isDuplicate ? { duplicate: true as const } : {};
      const waitMs = toWaitMs(waitSeconds, context);
      const isApplied = waitSeconds !== null && waitMs === waitSeconds * 1_000; // RFC 7240 §3
      const applied = isApplied ? { 'preference-applied': `wait=${waitSeconds}` } : {};
      const end = waitMs <= 0 ? null : await findEnd(executionId, waitMs, parts);
      const answer =
        end === null
          ? answerJson(202, { ...started, ...duplicate })
          : answerJson(200, { ...started, ...end, ...duplicate });
      return { ...answer, headers: { ...answer.headers, ...applied }, executionId };
    },
    { maxBytes, maxDepth },
  );
  const showResult = answerRoute(showResultRoute, async ({ params, context, headers }) => {
    const { waitSeconds } = readPreferences(headers.prefer);
    const record = await findExecution(params.executionId, parts);
    const { executionId, workflowId, workflowVersion, status } = record;
    const end = await findEnd(executionId, toWaitMs(waitSeconds, context), parts);
    return { ...answerJson(200, { executionId, workflowId, workflowVersion, status, ...end }), executionId };
  });
  return serveRoutes(parts, [run, showResult]);
};

/** The wait in milliseconds: as long as the caller requests and this invocation allows. */
const toWaitMs = (waitSeconds: number | null, context: Partial<Context>): number =>
  Math.min((waitSeconds ?? 0) * 1_000, remainingMs(context) - MARGIN_MS);

/** The end of an execution, or the response of one that continues after responding; null if neither is ready in time. */
const findEnd = async (executionId: string, waitMs: number, parts: RunParts) => {
  const { waitForResult } = await import('../webhooks/wait-for-result.chunk.ts');
  const found = await waitForResult(executionId, waitMs, parts);
  if (found === null) return null;
  const { status, result } = found;
  if (result === null) return isFinal(status) ? { status } : null;
  const { output, response, failure } = result;
  return { status, output, response, failure: failure === null ? null : { ...failure } };
};
