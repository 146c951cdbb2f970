import type { OperationUpdate } from '@aws/durable-execution-sdk-js';
import { scanAll } from '../../../lib/adapters/dynamodb/items.ts';
import { createSdk, createSdkClient } from '../../../lib/adapters/dynamodb/sdk-client.ts';
import { startEmbeddedDynamoDb } from '../../../packages/local/database/embedded-dynamodb.ts';
import { readTableDefinitions } from '../../../packages/local/database/tables.ts';
import type { DurableRun } from '../../../tests/support/a-durable-engine.ts';
import { type Metered, startMeteredDynamoDb } from '../../../tests/support/a-metered-dynamodb.ts';
import { storedSize } from '../../../tests/support/dynamodb-units.ts';
import type { BackgroundCounts } from '../../cost/billed-run.ts';
import { tablePrefix } from '../bench-service.ts';

/** The units that DynamoDB bills. */
export type Units = Metered;

/** Stored bytes, including indexes and overhead, by table name without the prefix. */
type Stored = Readonly<Record<string, number>>;

const measureStored = async (endpoint: string): Promise<Stored> => {
  const client = createSdkClient(createSdk(endpoint));
  const sizes: Record<string, number> = {};
  for (const table of readTableDefinitions(tablePrefix)) {
    const { TableName = '' } = table;
    const items = await scanAll({ client, TableName });
    const name = TableName.slice(tablePrefix.length + 1);
    sizes[name] = items.reduce((sum, item) => sum + storedSize(item, table), 0);
  }
  return sizes;
};

/** Starts an embedded DynamoDB that counts units. */
export const startCountingDatabase = async () => {
  const database = await startEmbeddedDynamoDb(tablePrefix);
  const meter = await startMeteredDynamoDb(database.endpoint, tablePrefix);
  return {
    /** URL through which operations are counted. */
    endpoint: meter.endpoint,
    /** URL through which operations are not counted. */
    uncountedEndpoint: database.endpoint,
    /** Returns the counts and resets them to zero. */
    take: meter.take,
    measureStored: () => measureStored(database.endpoint),
    stop: async () => {
      await meter.stop();
      await database.stop();
    },
  };
};

/** Counts the operations of a durable run; its start is also one. */
export const countDurable = ({ state, updates, invocations }: DurableRun): BackgroundCounts => ({
  operations: state.operations.size,
  bytes: payloadBytes(updates),
  invocations,
});

const payloadBytes = (updates: readonly OperationUpdate[]): number =>
  updates.reduce((sum, { Payload = '' }) => sum + Buffer.byteLength(Payload), 0);
