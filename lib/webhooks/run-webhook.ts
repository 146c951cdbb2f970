import type { JsonValue } from '../contract/json.ts';
import type { Clock } from '../contract/services.ts';
import { readTraceparent } from '../contract/traceparent.ts';
import { type AcceptParts, acceptExecution } from '../executions/lifecycle/accept-execution.ts';
import type { NewExecution } from '../executions/lifecycle/new-execution.ts';
import type { RunExecution } from '../executions/lifecycle/run-execution.ts';
import { toExecutionInfo } from '../executions/record/execution-info.ts';
import type { ExecutionRecord } from '../executions/record/execution-store.ts';
import type { Answer } from '../shared/answer.ts';
import { AppError } from '../shared/errors.ts';
import { answerAccepted, answerRun, markDuplicate, withHeaders } from './answer-run.ts';
import { awaitEnd, readResult } from './await-result.ts';
import { claimDelivery } from './claim-delivery.ts';
import { findDeliveryKey } from './delivery-key.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { Webhook } from './find-webhook.ts';
import { readPreferences } from './preferences.ts';
import { toTriggerInput } from './to-trigger-input.ts';
import type { WebhookRequest } from './webhook-request.ts';
import { withholdCredentials } from './withhold-credentials.ts';

/** A request that has passed every check. */
interface CheckedRequest {
  readonly request: WebhookRequest;
  readonly webhook: Webhook;
  /** Without the credential that they carried. */
  readonly headers: WebhookRequest['headers'];
  /** Parsed. */
  readonly body: JsonValue;
}

export interface RunWebhookParts extends AcceptParts {
  readonly deliveries: DeliveryStore;
  /** How long a repeated delivery is a duplicate, in milliseconds. */
  readonly windowMs: number;
  /** Runs an execution whose caller waits. */
  readonly run: RunExecution;
  readonly clock: Clock;
}

/** A delivery that is claimed: the execution that it stands for. */
interface Delivery {
  readonly execution: NewExecution;
  readonly webhook: Webhook;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly isKeyed: boolean;
  readonly isDuplicate: boolean;
}

/**
 * Claims the delivery, starts its execution unless it is a duplicate, and answers, at once or with the result.
 *
 * @param timeLimitMs - how long a caller that waits can be kept waiting
 * @throws AppError, among others `DELIVERY_KEY_REUSED` | `DISPATCH_REFUSED` | `STORE_UNAVAILABLE`, and what
 *   {@link answerRun} throws
 */
export const runWebhook = async (
  checked: CheckedRequest,
  timeLimitMs: number,
  parts: RunWebhookParts,
): Promise<Answer> => {
  const { responseMode } = checked.webhook.config;
  const { isAsync, waitSeconds } = readPreferences(checked.headers.prefer);
  const isSynchronous = responseMode !== 'onReceived';
  const delivery = await claim(checked, { keepsResult: isSynchronous && isAsync }, parts);
  if (!isSynchronous) return runLater(delivery, parts);
  return isAsync
    ? runAsPreferred(delivery, waitSeconds, timeLimitMs, parts)
    : runNow(delivery, timeLimitMs, parts);
};

const claim = async (
  { request, webhook, headers, body }: CheckedRequest,
  { keepsResult }: Pick<NewExecution, 'keepsResult'>,
  parts: RunWebhookParts,
): Promise<Delivery> => {
  const { workflow, config } = webhook;
  const { definition, version: workflowVersion } = workflow;
  const { rawBody, receivedAt } = request;
  const { triggerNodeId } = config;
  const workflowId = definition.id;
  const type = definition.nodes.find(({ id }) => id === triggerNodeId)?.type ?? '';
  const trigger = { nodeId: triggerNodeId, type };
  const input = toTriggerInput(request, withholdCredentials(headers, definition), body);
  const traceparent = readTraceparent(headers.traceparent);
  const unclaimed = { executionId: '', workflowId, workflowVersion, trigger, startedAt: receivedAt };
  const key = await findDeliveryKey(input, config, toExecutionInfo({ ...unclaimed, traceparent: null }));
  const { executionId, isDuplicate } = await claimDelivery(
    { workflowId, triggerNodeId, key, rawBody, receivedAt },
    parts,
  );
  const execution = { executionId, workflow, trigger, input, traceparent, keepsResult };
  return { execution, webhook, receivedAt, isKeyed: key !== null, isDuplicate };
};

/** 202; the run takes place in the background. */
const runLater = async (delivery: Delivery, parts: RunWebhookParts): Promise<Answer> =>
  answerAccepted(toAccepted(delivery, await accept(delivery, parts)));

/** `Prefer: respond-async`, with `wait` or without: 202, unless the result is there in time. */
const runAsPreferred = async (
  delivery: Delivery,
  waitSeconds: number | null,
  timeLimitMs: number,
  parts: RunWebhookParts,
): Promise<Answer> => {
  const preference = waitSeconds === null ? 'respond-async' : `respond-async, wait=${waitSeconds}`;
  const record = await accept(delivery, parts);
  const waitMs = Math.min((waitSeconds ?? 0) * 1_000, timeLimitMs);
  const { executionId } = delivery.execution;
  const later = waitMs > 0 ? await awaitEnd(executionId, waitMs, parts) : record;
  const result = later === null || waitMs === 0 ? null : await readResult(later, parts.blobs);
  if (result === null) return answerAccepted({ ...toAccepted(delivery, later ?? record), preference });
  const answer = answerRun(executionId, result, synchronousModeOf(delivery));
  const applied = withHeaders(answer, { 'preference-applied': preference });
  return record === null ? applied : markDuplicate(applied);
};

/** The result; of a duplicate, the result of the first delivery. */
const runNow = async (delivery: Delivery, timeLimitMs: number, parts: RunWebhookParts): Promise<Answer> => {
  const { execution, isKeyed } = delivery;
  const { executionId } = execution;
  const mode = synchronousModeOf(delivery);
  const known = isKeyed ? await parts.executions.find(executionId) : null;
  if (known === null) {
    const result = await parts.run({ ...execution, keepsResult: isKeyed }, timeLimitMs);
    return answerRun(executionId, result, mode);
  }
  const result = await readResult(known, parts.blobs);
  if (result === null) throw new AppError('ALREADY_STARTED', { executionId });
  return markDuplicate(answerRun(executionId, result, mode));
};

const accept = (
  { execution, webhook, receivedAt, isKeyed }: Delivery,
  parts: RunWebhookParts,
): Promise<ExecutionRecord | null> => {
  const options = { mode: webhook.config.execution, startedAt: receivedAt, isRepeatable: isKeyed };
  return acceptExecution(execution, options, parts);
};

const toAccepted = ({ execution, isDuplicate }: Delivery, record: ExecutionRecord | null) => ({
  executionId: execution.executionId,
  workflowId: execution.workflow.definition.id,
  status: record?.status ?? ('accepted' as const),
  isDuplicate: isDuplicate || record !== null,
});

const synchronousModeOf = ({ webhook: { config } }: Delivery): 'lastNode' | 'responseNode' =>
  config.responseMode === 'responseNode' ? 'responseNode' : 'lastNode';
