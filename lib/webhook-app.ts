import { openConfig, openLogger, openProcess, openRegistry } from './app.ts';
import { openBlobs, openEvents, openLauncher, openStore } from './background-app.ts';
import { createCredentialStore } from './dynamodb/credential-store.ts';
import { createDeliveryStore } from './dynamodb/delivery-store.ts';
import { lateHttpClient } from './services/late-http-client.ts';
import { randomIds } from './services/random-ids.ts';
import { systemClock } from './services/system-clock.ts';
import type { WebhookFunctionParts } from './webhook-function.ts';

/**
 * What the webhook function is made of: the composition root's second half, in a file of its own because of what
 * it brings along (the AWS SDK, which no admin function for plugins needs).
 * @throws AppError `CONFIGURATION_INVALID`
 */
export const openWebhook = (): WebhookFunctionParts => {
  const config = openConfig();
  const logger = openLogger(config);
  const loadRegistry = openRegistry(config, logger);
  const { client, tables, workflows, executions } = openStore(config);
  return {
    workflows,
    executions,
    credentials: createCredentialStore(client, tables),
    deliveries: createDeliveryStore(client, tables),
    launcher: openLauncher(config),
    blobs: openBlobs(config),
    ...openEvents(config, logger),
    loadNodeTypes: async () => (await loadRegistry()).findNodeType,
    services: {
      clock: systemClock,
      ids: randomIds,
      http: lateHttpClient(config.outboundAllow),
    },
    logger,
    guard: openProcess(config, logger)?.guard,
    settings: {
      maxBodyBytes: config.maxBodyBytes,
      maxBodyDepth: config.maxBodyDepth,
      cacheTtlMs: config.workflowCacheMs,
      deduplicationWindowMs: config.deduplicationWindowMs,
    },
  };
};
