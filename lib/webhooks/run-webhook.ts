import type { JsonValue } from '../contract/json.ts';
import type { Ids } from '../contract/services.ts';
import type { Launcher } from '../executions/launcher.ts';
import type { Launch, RunExecution } from '../executions/run-execution.ts';
import { answerAccepted, answerRun } from './answer-run.ts';
import type { Webhook } from './find-webhook.ts';
import { toTriggerInput } from './to-trigger-input.ts';
import type { WebhookAnswer } from './webhook-answer.ts';
import type { WebhookRequest } from './webhook-request.ts';

/** A request that has passed every check. */
export interface Delivery {
  readonly request: WebhookRequest;
  readonly webhook: Webhook;
  /** Without the credential that they carried. */
  readonly headers: WebhookRequest['headers'];
  /** Parsed. */
  readonly body: JsonValue;
}

export interface RunWebhookParts {
  /** For callers who don't wait. */
  readonly launcher: Launcher;
  /** For callers who wait. */
  readonly run: RunExecution;
  readonly ids: Ids;
}

/**
 * Starts the workflow and answers its caller, at once or when it has run.
 * @param timeLimitMs how long a caller who waits can be kept waiting
 * Rejects with what {@link answerRun}, the launcher and the run throw.
 */
export const runWebhook = async (
  delivery: Delivery,
  timeLimitMs: number,
  { launcher, run, ids }: RunWebhookParts,
): Promise<WebhookAnswer> => {
  const { workflow, config } = delivery.webhook;
  const launch: Launch = {
    executionId: executionIdOf(delivery, ids),
    workflow,
    trigger: { nodeId: config.triggerNodeId, type: typeOf(config.triggerNodeId, workflow) },
    input: toTriggerInput(delivery.request, delivery.headers, delivery.body),
    timeLimitMs,
  };
  if (config.responseMode === 'onReceived') {
    await launcher.launch(launch);
    return answerAccepted(launch.executionId, workflow.definition.id);
  }
  return answerRun(launch.executionId, await run(launch), config.responseMode);
};

/** Every delivery is a run of its own. Here is the place to recognise one that was delivered before. */
const executionIdOf = (_delivery: Delivery, ids: Ids): string => ids.next();

const typeOf = (nodeId: string, { definition }: Webhook['workflow']): string =>
  definition.nodes.find(({ id }) => id === nodeId)?.type ?? '';
