import { openConfig, openLogger, openRegistry } from './app.ts';
import type { HttpClient } from './contract/services.ts';
import { createDynamoDbClient } from './dynamodb/client.ts';
import { createCredentialStore } from './dynamodb/credential-store.ts';
import { createExecutionStore } from './dynamodb/execution-store.ts';
import { tableNames } from './dynamodb/table-names.ts';
import { createWorkflowStore } from './dynamodb/workflow-store.ts';
import { AppError } from './errors.ts';
import { randomIds } from './services/random-ids.ts';
import { systemClock } from './services/system-clock.ts';
import type { WebhookFunctionParts } from './webhook-function.ts';

/**
 * What the webhook function is made of: the composition root's second half, in a file of its own because of what
 * it brings along (the AWS SDK, which no admin function needs).
 * @throws AppError `CONFIGURATION_INVALID`
 */
export const openWebhook = (): WebhookFunctionParts => {
  const config = openConfig();
  if (config.tablePrefix === null)
    throw new AppError('CONFIGURATION_INVALID', { reason: 'TABLE_PREFIX is not set' });
  const logger = openLogger(config);
  const loadRegistry = openRegistry(config, logger);
  const client = createDynamoDbClient(config.dynamodbEndpoint ?? undefined);
  const tables = tableNames(config.tablePrefix);
  return {
    workflows: createWorkflowStore(client, tables, systemClock),
    credentials: createCredentialStore(client, tables),
    executions: createExecutionStore(client, tables, { retentionDays: config.retentionDays }),
    loadNodeTypes: async () => (await loadRegistry()).findNodeType,
    services: {
      clock: systemClock,
      ids: randomIds,
      http: lateHttpClient(config.outboundAllow),
    },
    logger,
    settings: {
      maxBodyBytes: config.maxBodyBytes,
      maxBodyDepth: config.maxBodyDepth,
      cacheTtlMs: config.workflowCacheMs,
    },
  };
};

/** Most sandboxes never call out: the client, and what of Node it needs, is loaded for the first request. */
const lateHttpClient = (allow: readonly string[]): HttpClient => {
  let client: Promise<HttpClient> | undefined;
  return {
    request: async (request) => {
      client ??= import('./services/http-client.ts').then(({ createHttpClient }) =>
        createHttpClient({ allow }),
      );
      return (await client).request(request);
    },
  };
};
