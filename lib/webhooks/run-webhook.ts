import type { JsonObject } from '../contract/json.ts';
import type { Clock } from '../contract/services.ts';
import { readTraceparent } from '../contract/traceparent.ts';
import { acceptDelivery } from '../deliveries/accept-delivery.ts';
import { type ClaimedDelivery, type ClaimParts, claimDelivery } from '../deliveries/claim-delivery.ts';
import type { AcceptParts } from '../executions/lifecycle/accept-execution.ts';
import type { NewExecution } from '../executions/lifecycle/new-execution.ts';
import type { RunExecution } from '../executions/lifecycle/run-execution.ts';
import { toExecutionInfo } from '../executions/record/execution-info.ts';
import type { ExecutionRecord } from '../executions/record/execution-store.ts';
import type { Answer } from '../shared/answer.ts';
import { AppError } from '../shared/errors.ts';
import type { PathConfig } from '../workflows/definition/path-config.ts';
import { answerAccepted, answerRun, markDuplicate, withHeaders } from './answer-run.ts';
import { readResult, waitUntilFinished } from './await-result.ts';
import { findDeliveryKey, toKeyInTrigger } from './delivery-key.ts';
import type { Webhook } from './find-webhook.ts';
import { readPreferences } from './preferences.ts';
import type { WebhookRequest } from './webhook-request.ts';

/** A request that has passed every check. */
interface CheckedRequest {
  readonly request: WebhookRequest;
  readonly webhook: Webhook;
  /** With the credential redacted that authenticated the request. */
  readonly headers: WebhookRequest['headers'];
  /** The trigger's output, without other credentials. */
  readonly input: JsonObject;
}

interface RunWebhookParts extends AcceptParts, ClaimParts {
  /** Runs an execution inline. */
  readonly run: RunExecution;
  readonly clock: Clock;
}

interface WebhookDelivery extends ClaimedDelivery {
  readonly config: PathConfig;
}

/**
 * Claims the delivery, starts its execution unless it is a duplicate, and answers at once or with the result.
 *
 * @param timeLimitMs - how long the caller can be kept waiting
 * @throws AppError, among others `DELIVERY_KEY_REUSED` | `DISPATCH_REFUSED` | `STORE_UNAVAILABLE`, and what
 *   {@link answerRun} throws
 */
export const runWebhook = async (
  checked: CheckedRequest,
  timeLimitMs: number,
  parts: RunWebhookParts,
): Promise<Answer> => {
  const { isAsync, waitSeconds } = readPreferences(checked.headers.prefer);
  const isSynchronous = checked.webhook.config.responseMode !== 'onReceived';
  const delivery = await claim(checked, { keepsResult: isSynchronous && isAsync }, parts);
  if (!isSynchronous)
    return answerAccepted(
      toAccepted(delivery, await acceptDelivery(delivery, delivery.config.execution, parts)),
    );
  return isAsync
    ? runAsync(delivery, waitSeconds, timeLimitMs, parts)
    : runInline(delivery, timeLimitMs, parts);
};

const claim = async (
  { request, webhook, headers, input }: CheckedRequest,
  { keepsResult }: Pick<NewExecution, 'keepsResult'>,
  parts: RunWebhookParts,
): Promise<WebhookDelivery> => {
  const { workflow, config } = webhook;
  const { definition, version: workflowVersion } = workflow;
  const { rawBody, receivedAt } = request;
  const { triggerNodeId } = config;
  const workflowId = definition.id;
  const type = definition.nodes.find(({ id }) => id === triggerNodeId)?.type ?? '';
  const trigger = { nodeId: triggerNodeId, type };
  const unclaimed = { executionId: '', workflowId, workflowVersion, trigger, startedAt: receivedAt };
  const found = await findDeliveryKey(input, config, toExecutionInfo({ ...unclaimed, traceparent: null }));
  const key = found === null ? null : toKeyInTrigger(found, webhook);
  const traceparent = readTraceparent(headers.traceparent);
  const delivery = { workflow, trigger, input, traceparent, keepsResult, key, content: rawBody, receivedAt };
  return { ...(await claimDelivery(delivery, parts)), config };
};

/** `Prefer: respond-async`, with or without `wait`: a background run; its result if it finishes in time, else 202. */
const runAsync = async (
  delivery: WebhookDelivery,
  waitSeconds: number | null,
  timeLimitMs: number,
  parts: RunWebhookParts,
): Promise<Answer> => {
  const preference = waitSeconds === null ? 'respond-async' : `respond-async, wait=${waitSeconds}`;
  const known = await acceptDelivery(delivery, delivery.config.execution, parts);
  const waitMs = Math.min((waitSeconds ?? 0) * 1_000, timeLimitMs);
  const { executionId } = delivery.execution;
  const record = waitMs > 0 ? await waitUntilFinished(executionId, waitMs, parts) : null;
  const result = record === null ? null : await readResult(record, parts.blobs);
  if (result === null) {
    const accepted = toAccepted(delivery, known);
    return answerAccepted({ ...accepted, status: record?.status ?? accepted.status, preference });
  }
  const answer = answerRun(executionId, result, delivery.config.responseMode);
  const applied = withHeaders(answer, { 'preference-applied': preference });
  return known === null ? applied : markDuplicate(applied);
};

/** The result of a run in this process; for a duplicate, the result of the first delivery. */
const runInline = async (
  { execution, config, isKeyed }: WebhookDelivery,
  timeLimitMs: number,
  parts: RunWebhookParts,
): Promise<Answer> => {
  const { executionId } = execution;
  const known = isKeyed ? await parts.executions.find(executionId) : null;
  if (known === null) {
    const result = await parts.run({ ...execution, keepsResult: isKeyed }, timeLimitMs);
    return answerRun(executionId, result, config.responseMode);
  }
  const result = await readResult(known, parts.blobs);
  if (result === null) throw new AppError('ALREADY_STARTED', { executionId });
  return markDuplicate(answerRun(executionId, result, config.responseMode));
};

const toAccepted = ({ execution, isDuplicate }: ClaimedDelivery, record: ExecutionRecord | null) => ({
  executionId: execution.executionId,
  workflowId: execution.workflow.definition.id,
  status: record?.status ?? ('accepted' as const),
  isDuplicate: isDuplicate || record !== null,
});
