import { createAwsCaller } from '../adapters/aws/aws-caller.ts';
import { createLambdaDispatcher } from '../adapters/aws/lambda-dispatcher.ts';
import { createLambdaDurableService } from '../adapters/aws/lambda-durable-service.ts';
import { createFolderBlobStore } from '../adapters/blobs/folder-blob-store.ts';
import { createS3BlobStore } from '../adapters/blobs/s3-blob-store.ts';
import { createDynamoDbClient } from '../adapters/dynamodb/client.ts';
import { createExecutionStore } from '../adapters/dynamodb/execution-store.ts';
import { type TableNames, tableNames } from '../adapters/dynamodb/table-names.ts';
import { createWorkflowStore } from '../adapters/dynamodb/workflow-store.ts';
import { createEventBridgeEvents } from '../adapters/events/event-bridge-events.ts';
import { createLogEvents } from '../adapters/events/log-events.ts';
import { systemClock } from '../adapters/runtime/system-clock.ts';
import type { Logger } from '../contract/services.ts';
import type { Dispatcher } from '../executions/lifecycle/dispatch-execution.ts';
import type { DurableService } from '../executions/lifecycle/durable-service.ts';
import type { BlobStore } from '../executions/record/blob-store.ts';
import type { ExecutionEvents } from '../executions/record/execution-events.ts';
import { AppError } from '../shared/errors.ts';
import type { Config } from './config.ts';

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
export const openDispatcher = (config: Config): Dispatcher =>
  createLambdaDispatcher(openLambda(config), {
    durable: need(config.durableFunction, 'RUN_DURABLE_FUNCTION'),
    express: need(config.expressFunction, 'RUN_EXPRESS_FUNCTION'),
  });

export const openDurableService = (config: Config): DurableService =>
  createLambdaDurableService(openLambda(config));

/** Where the end of executions is told, and whether that is a place that somebody listens at. */
export const openEvents = (
  { region, eventBus }: Config,
  logger: Logger,
): { readonly events: ExecutionEvents; readonly usesOutbox: boolean } => {
  if (eventBus === null) return { events: createLogEvents(logger), usesOutbox: false };
  const call = createAwsCaller({ service: 'events', region, endpoint: null });
  return { events: createEventBridgeEvents(call, { busName: eventBus }), usesOutbox: true };
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
