import type middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { createCache } from './cache.ts';
import type { JsonValue } from './contract/json.ts';
import type { FindNodeType } from './contract/node-type.ts';
import type { Logger, Services } from './contract/services.ts';
import type { Credential } from './credentials/credential.ts';
import type { CredentialStore } from './credentials/credential-store.ts';
import { rememberVerified } from './credentials/remember-verified.ts';
import { verify } from './credentials/verify.ts';
import { isAppError } from './errors.ts';
import type { ExecutionStore } from './executions/execution-store.ts';
import { inlineLauncher, type Launcher } from './executions/launcher.ts';
import { createPrepareRun } from './executions/prepare-run.ts';
import { createRunExecution, type RunExecution } from './executions/run-execution.ts';
import { createHandler } from './http/create-handler.ts';
import { limitBody } from './http/limit-body.ts';
import { parseJsonBody } from './http/parse-json-body.ts';
import { readWebhookEvent } from './http/read-webhook-event.ts';
import { withFields } from './services/logger.ts';
import { authenticate } from './webhooks/authenticate.ts';
import { type ExaminedBody, examineBody } from './webhooks/examine-body.ts';
import { findWebhook } from './webhooks/find-webhook.ts';
import { type Delivery, runWebhook } from './webhooks/run-webhook.ts';
import type { Plan } from './workflows/plan.ts';
import type { PublishedWorkflow, WorkflowStore } from './workflows/workflow-store.ts';

export interface WebhookSettings {
  /** Lambda itself takes no more than 6 MB. */
  readonly maxBodyBytes: number;
  /** Levels of lists and maps in a JSON body. */
  readonly maxBodyDepth: number;
  /** How old a workflow or a credential may be that a request is answered with; 0 reads the store every time. */
  readonly cacheTtlMs: number;
  readonly cacheEntries: number;
  /** How long a chosen password that was right is not computed again. */
  readonly verifiedTtlMs: number;
  /** What is left of the function's time when an execution has to have ended, to record it and to answer. */
  readonly deadlineMarginMs: number;
}

export const defaultWebhookSettings: WebhookSettings = {
  maxBodyBytes: 6 * 1024 * 1024,
  maxBodyDepth: 100,
  cacheTtlMs: 3_000,
  cacheEntries: 200,
  verifiedTtlMs: 60_000,
  deadlineMarginMs: 1_000,
};

export interface WebhookFunctionParts {
  readonly workflows: WorkflowStore;
  readonly credentials: CredentialStore;
  readonly executions: ExecutionStore;
  /** Called when the first plan is made, so that a request that is refused pays for no plugin. */
  readonly loadNodeTypes: () => Promise<FindNodeType>;
  readonly services: Services;
  readonly logger: Logger;
  readonly settings?: Partial<WebhookSettings>;
  /** How runs that nobody waits for are started; before the answer, in this process, by default. */
  readonly createLauncher?: (run: RunExecution) => Launcher;
}

/**
 * The webhook function: the checks in their order, each on the very value that is then used, then the run.
 * What a step gives is added to the event for the steps after it; what it throws is answered.
 */
export const createWebhookFunction = (parts: WebhookFunctionParts) => {
  const { logger, services } = parts;
  const settings = { ...defaultWebhookSettings, ...parts.settings };
  const { findWorkflow, ...authentication } = createLookups(parts, settings);
  const running = createRunning(parts, settings);

  const answer = (delivery: Delivery, context: Context) =>
    runWebhook(delivery, computeTimeLimit(context, settings), running);

  return createHandler({ logger, clock: services.clock }, answer as never)
    .use(step((event) => limitBody(event, settings.maxBodyBytes)))
    .use(step((event) => ({ request: readWebhookEvent(event, services.clock.now()) })))
    .use(step(async ({ request }) => ({ webhook: await findWebhook(request, findWorkflow) })))
    .use(
      step(async ({ request, webhook }) => ({
        headers: await authenticate(request.headers, webhook.config, authentication),
      })),
    )
    .use(step(({ request }) => ({ body: parseBody(examineBody(request), settings.maxBodyDepth) })));
};
