import { createAwsCaller } from './aws/aws-caller.ts';
import { createEventBridgeEvents } from './aws/event-bridge-events.ts';
import { createLambdaDurableService } from './aws/lambda-durable-service.ts';
import { createLambdaLauncher } from './aws/lambda-launcher.ts';
import { createS3BlobStore } from './aws/s3-blob-store.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import { createFolderBlobStore } from './blobs/folder-blob-store.ts';
import type { Config } from './config.ts';
import type { Logger } from './contract/services.ts';
import { createDynamoDbClient } from './dynamodb/client.ts';
import { createExecutionStore } from './dynamodb/execution-store.ts';
import { type TableNames, tableNames } from './dynamodb/table-names.ts';
import { createWorkflowStore } from './dynamodb/workflow-store.ts';
import { AppError } from './errors.ts';
import { createLogEvents } from './events/log-events.ts';
import type { DurableService } from './executions/durable-service.ts';
import type { ExecutionEvents } from './executions/execution-events.ts';
import type { Launcher } from './executions/launcher.ts';
import { systemClock } from './services/system-clock.ts';

/** The store, for whatever function uses one. @throws AppError `CONFIGURATION_INVALID` */
export const openStore = (config: Config) => {
  const client = createDynamoDbClient(config.dynamodbEndpoint ?? undefined);
  const tables: TableNames = tableNames(need(config.tablePrefix, 'TABLE_PREFIX'));
  return {
    client,
    tables,
    workflows: createWorkflowStore(client, tables, systemClock),
    executions: createExecutionStore(client, tables, {
      retentionDays: config.retentionDays,
      clock: systemClock,
    }),
  };
};

/** Starts background runs. @throws AppError `CONFIGURATION_INVALID` */
export const openLauncher = (config: Config): Launcher =>
  createLambdaLauncher(openLambda(config), {
    durable: need(config.durableFunction, 'RUN_DURABLE_FUNCTION'),
    express: need(config.expressFunction, 'RUN_EXPRESS_FUNCTION'),
  });

export const openDurableService = (config: Config): DurableService =>
  createLambdaDurableService(openLambda(config));

/** Where the end of executions is told, and whether that is a place that somebody listens at. */
export const openEvents = (
  { region, eventBus }: Config,
  logger: Logger,
): { readonly events: ExecutionEvents; readonly announces: boolean } => {
  if (eventBus === null) return { events: createLogEvents(logger), announces: false };
  const call = createAwsCaller({ service: 'events', region, endpoint: null });
  return { events: createEventBridgeEvents(call, { busName: eventBus }), announces: true };
};

/** @throws AppError `CONFIGURATION_INVALID` */
export const openBlobs = ({ region, blobBucket, blobFolder }: Config): BlobStore => {
  if (blobFolder !== null) return createFolderBlobStore(blobFolder);
  const bucket = need(blobBucket, 'BLOB_BUCKET');
  return createS3BlobStore(createAwsCaller({ service: 's3', region, endpoint: null, bucket }));
};

/** @throws AppError `CONFIGURATION_INVALID` */
export const need = (value: string | null, name: string): string => {
  if (value === null) throw new AppError('CONFIGURATION_INVALID', { reason: `${name} is not set` });
  return value;
};

const openLambda = ({ region, lambdaEndpoint }: Config) =>
  createAwsCaller({ service: 'lambda', region, endpoint: lambdaEndpoint });
