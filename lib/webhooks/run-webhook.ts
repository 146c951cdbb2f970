import type { JsonObject, JsonValue } from '../contract/json.ts';
import type { ExecutionInfo } from '../contract/node.ts';
import type { Clock } from '../contract/services.ts';
import { readTraceparent } from '../contract/traceparent.ts';
import { type AcceptParts, acceptExecution } from '../executions/lifecycle/accept-execution.ts';
import type { RunExecution } from '../executions/lifecycle/run-execution.ts';
import type { ExecutionRecord } from '../executions/record/execution-store.ts';
import type { WebhookAnswer } from '../shared/answer.ts';
import { AppError } from '../shared/errors.ts';
import { answerAccepted, answerRun, markDuplicate, withHeaders } from './answer-run.ts';
import { awaitEnd, readResult } from './await-result.ts';
import { type Claim, claimDelivery } from './claim-delivery.ts';
import { findDeliveryKey } from './delivery-key.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { Webhook } from './find-webhook.ts';
import { type Preferences, readPreferences } from './preferences.ts';
import { toTriggerInput } from './to-trigger-input.ts';
import type { WebhookRequest } from './webhook-request.ts';
import { withholdCredentials } from './withhold-credentials.ts';

/** A request that has passed every check. */
export interface CheckedRequest {
  readonly request: WebhookRequest;
  readonly webhook: Webhook;
  /** Without the credential that they carried. */
  readonly headers: WebhookRequest['headers'];
  /** Parsed. */
  readonly body: JsonValue;
}

export interface RunWebhookParts extends AcceptParts {
  readonly deliveries: DeliveryStore;
  /** For how long a delivery that comes again is a duplicate. */
  readonly windowMs: number;
  /** For callers who wait. */
  readonly run: RunExecution;
  readonly clock: Clock;
}

/** A delivery, and the execution that it is for. */
interface Delivery extends CheckedRequest {
  readonly claim: Claim;
  readonly isKeyed: boolean;
  readonly input: JsonObject;
  readonly trigger: ExecutionInfo['trigger'];
  readonly traceparent: string | null;
}

/**
 * Finds out whether the delivery came before, starts the workflow, and answers its caller, at once or when it has run.
 * @param timeLimitMs how long a caller who waits can be kept waiting
 * Rejects with AppError, among others `DELIVERY_KEY_REUSED` | `DISPATCH_REFUSED` | `STORE_UNAVAILABLE`, and with what
 * {@link answerRun} throws.
 */
export const runWebhook = async (
  checked: CheckedRequest,
  timeLimitMs: number,
  parts: RunWebhookParts,
): Promise<WebhookAnswer> => {
  const { responseMode } = checked.webhook.config;
  const delivery = await claim(checked, parts);
  const preferences = readPreferences(checked.headers.prefer);
  if (responseMode === 'onReceived') return runLater(delivery, parts);
  if (preferences.isAsync) return runAsPreferred(delivery, preferences, timeLimitMs, parts);
  return runNow(delivery, timeLimitMs, parts);
};

const claim = async (checked: CheckedRequest, parts: RunWebhookParts): Promise<Delivery> => {
  const { request, webhook, headers, body } = checked;
  const { workflow, config } = webhook;
  const { triggerNodeId } = config;
  const workflowId = workflow.definition.id;
  const type = workflow.definition.nodes.find(({ id }) => id === triggerNodeId)?.type ?? '';
  const trigger = { nodeId: triggerNodeId, type };
  const input = toTriggerInput(request, withholdCredentials(headers, workflow.definition), body);
  const key = await findDeliveryKey(input, config, {
    executionId: '',
    workflowId,
    workflowVersion: workflow.version,
    trigger,
    startedAt: new Date(request.receivedAt).toISOString(),
  });
  const { rawBody, receivedAt } = request;
  const claimed = await claimDelivery({ workflowId, triggerNodeId, key, rawBody, receivedAt }, parts);
  const traceparent = readTraceparent(headers.traceparent);
  return { ...checked, claim: claimed, isKeyed: key !== null, input, trigger, traceparent };
};

/** The caller gets 202, and the run takes place in the background. */
const runLater = async (delivery: Delivery, parts: RunWebhookParts): Promise<WebhookAnswer> =>
  answerAccepted(toAccepted(delivery, await accept(delivery, false, parts)));

/** `Prefer: respond-async`, with `wait` or without: 202, unless the result is there in time. */
const runAsPreferred = async (
  delivery: Delivery,
  { waitSeconds }: Preferences,
  timeLimitMs: number,
  parts: RunWebhookParts,
): Promise<WebhookAnswer> => {
  const preference = waitSeconds === null ? 'respond-async' : `respond-async, wait=${waitSeconds}`;
  const record = await accept(delivery, true, parts);
  const waitMs = Math.min((waitSeconds ?? 0) * 1_000, timeLimitMs);
  const { executionId } = delivery.claim;
  const later = waitMs > 0 ? await awaitEnd(executionId, waitMs, parts) : record;
  const result = later === null || waitMs === 0 ? null : await readResult(later, parts.blobs);
  if (result === null) return answerAccepted({ ...toAccepted(delivery, later ?? record), preference });
  const answer = answerRun(executionId, result, synchronousModeOf(delivery));
  const applied = withHeaders(answer, { 'preference-applied': preference });
  return record === null ? applied : markDuplicate(applied);
};

/** The caller waits for the result. One who asks again gets the same. */
const runNow = async (
  delivery: Delivery,
  timeLimitMs: number,
  parts: RunWebhookParts,
): Promise<WebhookAnswer> => {
  const { executionId } = delivery.claim;
  const mode = synchronousModeOf(delivery);
  const known = delivery.isKeyed ? await parts.executions.find(executionId) : null;
  if (known !== null) {
    const result = await readResult(known, parts.blobs);
    if (result === null) throw new AppError('ALREADY_STARTED', { executionId });
    return markDuplicate(answerRun(executionId, result, mode));
  }
  const { workflow } = delivery.webhook;
  const { trigger, input, isKeyed: keepsResult, traceparent } = delivery;
  return answerRun(
    executionId,
    await parts.run({ executionId, workflow, trigger, input, timeLimitMs, keepsResult, traceparent }),
    mode,
  );
};

const accept = (
  delivery: Delivery,
  keepsResult: boolean,
  parts: RunWebhookParts,
): Promise<ExecutionRecord | null> => {
  const { workflow, config } = delivery.webhook;
  return acceptExecution(
    {
      executionId: delivery.claim.executionId,
      workflowId: workflow.definition.id,
      workflowVersion: workflow.version,
      trigger: delivery.trigger,
      startedAt: delivery.request.receivedAt,
      mode: config.execution,
      input: delivery.input,
      isRepeatable: delivery.isKeyed,
      keepsResult,
      traceparent: delivery.traceparent,
    },
    parts,
  );
};

const toAccepted = (
  { claim: { executionId, isDuplicate }, webhook }: Delivery,
  record: ExecutionRecord | null,
) => ({
  executionId,
  workflowId: webhook.workflow.definition.id,
  status: record?.status ?? ('accepted' as const),
  isDuplicate: isDuplicate || record !== null,
});

const synchronousModeOf = ({ webhook: { config } }: Delivery): 'lastNode' | 'responseNode' =>
  config.responseMode === 'responseNode' ? 'responseNode' : 'lastNode';
