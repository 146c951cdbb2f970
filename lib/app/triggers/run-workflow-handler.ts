import { type Clock, isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import type { Context } from 'aws-lambda';
import * as v from 'valibot';
import type { BlobStore } from '../../executions/record/blob-store.ts';
import { isFinal } from '../../executions/record/execution-store.ts';
import { createHandler, onlyMethod } from '../../http/create-handler.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { parseQuery, readPathParameter } from '../../http/read-parameters.ts';
import { limitBody, readWebhookEvent } from '../../http/read-webhook-event.ts';
import { answerJson } from '../../shared/answer.ts';
import { BODY_INVALID, WORKFLOW_NOT_FOUND } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { countStart, measure } from '../../shared/metrics.ts';
import { text } from '../../shared/query-fields.ts';
import { readTraceparent } from '../../shared/traceparent.ts';
import type { StartParts } from '../../triggers/start-by-event.ts';
import { startByHand } from '../../triggers/start-by-hand.ts';
import { readPreferences } from '../../webhooks/preferences.ts';

interface RunParts extends StartParts {
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly settings: { readonly maxBodyBytes: number; readonly maxBodyDepth: number };
}

const query = v.object({ trigger: v.nullish(text, null) });

/** Time reserved for the response, in milliseconds. */
const MARGIN_MS = 1_000;

/**
 * `POST /api/admin/workflows/{workflowId}/executions`: starts a workflow by hand; the body is the input of its trigger.
 * With `Prefer: wait=N`, the response contains the result if it is ready in time.
 */
export const createRunWorkflow = (parts: RunParts) =>
  createHandler(
    parts,
    onlyMethod('POST', parts.clock, async ({ event, context, addLogFields }) => {
      limitBody(event, parts.settings.maxBodyBytes);
      const { trigger } = parseQuery(event, query);
      const { headers, rawBody } = readWebhookEvent(event, parts.clock.now());
      const workflowId = readWorkflowId(event);
      addLogFields({ workflowId });
      const key = headers['idempotency-key'] || null;
      const { waitSeconds } = readPreferences(headers.prefer);
      const { isDuplicate, hasMetrics, ...started } = await startByHand(
        {
          workflowId,
          triggerNodeId: trigger,
          input: readInput(event, parts),
          key,
          content: rawBody,
          traceparent: readTraceparent(headers.traceparent),
          // A repeated request may wait for the execution that the first one started.
          keepsResult: key !== null || waitSeconds !== null,
        },
        parts,
      );
      const { executionId } = started;
      if (!isDuplicate) addLogFields({ ...measure(countStart(hasMetrics)) });
      const duplicate = isDuplicate ? { duplicate: true } : {};
      const waitMs = toWaitMs(waitSeconds, context);
      const isApplied = waitSeconds !== null && waitMs === waitSeconds * 1_000; // RFC 7240 §3
      const applied = isApplied ? { 'preference-applied': `wait=${waitSeconds}` } : {};
      const end = await findEnd(executionId, waitMs, parts);
      const answer =
        end === null
          ? answerJson(202, { ...started, ...duplicate })
          : answerJson(200, { ...started, ...end, ...duplicate });
      return { ...answer, headers: { ...answer.headers, ...applied }, executionId };
    }),
  );

/** @throws AppError `WORKFLOW_NOT_FOUND` for an invalid id, which the response does not echo */
const readWorkflowId = (event: unknown): string => {
  const workflowId = readPathParameter(event, 'workflowId');
  if (isId(workflowId)) return workflowId;
  throw new AppError(WORKFLOW_NOT_FOUND, { workflowId: 'with this id' });
};

/**
 * Reads the trigger's input from the body; without a body, it is empty.
 * @throws AppError `CONTENT_TYPE_UNSUPPORTED` | `BODY_INVALID` | `BODY_TOO_DEEP`
 */
const readInput = (event: unknown, { clock, settings }: RunParts): JsonObject => {
  const input = readJsonBody(event, settings.maxBodyDepth, clock.now()) ?? {};
  if (isPlainObject(input)) return input as JsonObject;
  throw new AppError(BODY_INVALID, { reason: 'the input of a trigger must be a JSON object' });
};

/** The wait in milliseconds: as long as the caller requests and this invocation allows. */
const toWaitMs = (
  waitSeconds: number | null,
  { getRemainingTimeInMillis = () => Number.POSITIVE_INFINITY }: Partial<Context>,
): number => Math.min((waitSeconds ?? 0) * 1_000, getRemainingTimeInMillis() - MARGIN_MS);

/** The end of an execution, or the response of one that continues after responding; null if neither is ready in time. */
const findEnd = async (executionId: string, waitMs: number, parts: RunParts): Promise<JsonObject | null> => {
  if (waitMs <= 0) return null;
  const { waitForResult } = await import('../../webhooks/wait-for-result.chunk.ts');
  const found = await waitForResult(executionId, waitMs, parts);
  if (found === null) return null;
  const { status, result } = found;
  if (result === null) return isFinal(status) ? { status } : null;
  const { output, response, failure } = result;
  return { status, output, response, failure: failure === null ? null : { ...failure } };
};
