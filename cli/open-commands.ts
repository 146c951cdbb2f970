import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLambdaCredentialTest } from '../lib/adapters/aws/lambda-credential-test.ts';
import { createCallbackIndex } from '../lib/adapters/dynamodb/callbacks/callback-index.ts';
import type { DynamoDbClient } from '../lib/adapters/dynamodb/client.ts';
import { createCredentialStore } from '../lib/adapters/dynamodb/credential-stores.ts';
import { createDeliveryStore } from '../lib/adapters/dynamodb/delivery-store.ts';
import { createListDefinitions } from '../lib/adapters/dynamodb/health/health-reads.ts';
import { createHeldQueues } from '../lib/adapters/dynamodb/held/held-queues.ts';
import { createSdk, createSdkClient } from '../lib/adapters/dynamodb/sdk-client.ts';
import { createListIndexes } from '../lib/adapters/dynamodb/stored-data/check-stored-data.ts';
import { type MigrationParts, migrateStoredData } from '../lib/adapters/dynamodb/stored-data/migrate.ts';
import {
  createHoldsUnlisted,
  findVersionProblem,
  readStageVersions,
} from '../lib/adapters/dynamodb/stored-data/stage-versions.ts';
import type { TableNames } from '../lib/adapters/dynamodb/table-names.ts';
import { readItem } from '../lib/adapters/dynamodb/workflows/workflow-reader.ts';
import { createWorkflowStore } from '../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { systemClock } from '../lib/adapters/runtime/system-clock.ts';
import {
  type LambdaOptions,
  need,
  openDispatcher,
  openDurableService,
  openLambda,
  openLogger,
  openNudge,
  openStores,
} from '../lib/app/compose/parts.ts';
import type { Config } from '../lib/app/config.ts';

/** Time limits of a credential's test, longer than the function's timeout. */
const TEST_TIMEOUTS = { connectMs: 2_000, exchangeMs: 30_000 };

const openCredentialTest = (config: Config, options: LambdaOptions = {}) =>
  createLambdaCredentialTest(
    openLambda(config, { ...options, timeouts: TEST_TIMEOUTS }),
    `${need(config.tablePrefix, 'TABLE_PREFIX')}-adminHealth`,
    systemClock.now,
  );

/** Opens the operations on all stored data. */
const openStoredData = (
  { dynamodbEndpoint, tablePrefix }: Config,
  sdk: DynamoDBClient,
  { client, tables }: { readonly client: DynamoDbClient; readonly tables: TableNames },
) => ({
  /** Why this release can't read the data, according to the recorded versions; null if it can. */
  findVersionProblem: async () => {
    const stage = await readStageVersions(client, tables);
    return stage === null ? null : findVersionProblem(stage);
  },
  migrate: async (options: Pick<MigrationParts, 'isDryRun' | 'sleep' | 'onPage'>) => {
    const ofEngine = `${tablePrefix}-local-durable`; // only on this machine
    const hasEngine = dynamodbEndpoint !== null && (await createListIndexes(sdk)(ofEngine)) !== null;
    const others = hasEngine ? { [ofEngine]: ['arn', 'part'] } : {};
    return migrateStoredData({ client, tables, others, ...options });
  },
});

export const openCommands = (config: Config) => {
  const sdk = createSdk(config.dynamodbEndpoint ?? undefined);
  const stores = openStores(config, createSdkClient(sdk));
  const { client, tables } = stores;
  const local = { accessKeyId: 'local', secretAccessKey: 'local' };
  // For a deployed stage, from the SDK's credential chain: profiles and single sign-on included.
  const readCredentials = config.lambdaEndpoint === null ? () => sdk.config.credentials() : () => local;
  return {
    ...stores,
    workflows: createWorkflowStore(client, tables, systemClock),
    storedData: openStoredData(config, sdk, { client, tables }),
    close: () => sdk.destroy(),
    readCredentials,
    logger: openLogger({ ...config, logLevel: 'warn' }), // commands print their own results
    credentials: createCredentialStore(client, tables),
    deliveries: createDeliveryStore(client, tables),
    callbacks: createCallbackIndex(client, tables, systemClock),
    holdsUnlisted: createHoldsUnlisted(client, tables),
    hasWorkflow: async (id: string) => (await readItem(client, tables.workflows, id, true)) !== null,
    listDefinitions: createListDefinitions(client, tables, { maxPages: Number.POSITIVE_INFINITY }),
    dispatcher: openDispatcher(config, { readCredentials }),
    durableService: openDurableService(config, { readCredentials }),
    queues: createHeldQueues(client, tables, config),
    nudgeQueue: openNudge(config, { readCredentials }),
    testCredential: openCredentialTest(config, { readCredentials }),
  };
};
