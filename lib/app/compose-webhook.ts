import { createCredentialStore } from '../adapters/dynamodb/credential-store.ts';
import { createDeliveryStore } from '../adapters/dynamodb/delivery-store.ts';
import { lateHttpClient } from '../adapters/http-client/late-http-client.ts';
import { randomIds } from '../adapters/runtime/random-ids.ts';
import { systemClock } from '../adapters/runtime/system-clock.ts';
import { openConfig, openLogger, openProcess, openRegistry } from './compose.ts';
import { openBlobs, openDispatcher, openEvents, openStore } from './compose-stores.ts';
import type { WebhookFunctionParts } from './webhook-handler.ts';

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
    dispatcher: openDispatcher(config),
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
