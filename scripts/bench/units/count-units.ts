import { startEmbeddedDynamoDb } from '../../../local/database/embedded-dynamodb.ts';
import { readTableDefinitions } from '../../../local/database/table-definitions.ts';
import { tablePrefix } from '../bench-service.ts';
import { type DynamoDbCall, type Forward, startDynamoDbProxy } from '../dynamodb-proxy.ts';
import {
  computeQueryUnits,
  computeReadUnits,
  computeWriteUnits,
  type Item,
  type TableDefinition,
} from './write-units.ts';

/** What DynamoDB bills. */
export interface Units {
  readonly reads: number;
  readonly writes: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

const none: Units = { reads: 0, writes: 0, readUnits: 0, writeUnits: 0 };

/** An embedded DynamoDB that counts units: each write is enclosed in reads of its item, which do not count. */
export const startCountingDatabase = async () => {
  const tables = readTableDefinitions(tablePrefix);
  const database = await startEmbeddedDynamoDb(tablePrefix);
  let units = none;

  const proxy = await startDynamoDbProxy(database.endpoint, async (call, forward) => {
    const { operation, input } = call;
    const table = tables.find(({ TableName }) => TableName === input.TableName);
    if (operation === 'GetItem') {
      const answer = await forward(call);
      const readUnits = computeReadUnits(readItem(answer.body), input.ConsistentRead === true);
      units = { ...units, reads: units.reads + 1, readUnits: units.readUnits + readUnits };
      return answer;
    }
    if (operation === 'Query') {
      const answer = await forward(call);
      const readUnits = computeQueryUnits(JSON.parse(answer.body).Items ?? []);
      units = { ...units, reads: units.reads + 1, readUnits: units.readUnits + readUnits };
      return answer;
    }
    if (!['PutItem', 'UpdateItem', 'DeleteItem'].includes(operation) || table === undefined) {
      throw new Error(`${operation} is not counted`);
    }
    const before = await findItem(call, table, forward);
    const answer = await forward(call);
    const after = await findItem(call, table, forward);
    const writeUnits = computeWriteUnits(before, after, table);
    units = { ...units, writes: units.writes + 1, writeUnits: units.writeUnits + writeUnits };
    return answer;
  });

  return {
    /** Counts. */
    endpoint: proxy.endpoint,
    /** Does not count. */
    uncountedEndpoint: database.endpoint,
    /** Returns what was counted, and starts at zero again. */
    take: (): Units => {
      const taken = units;
      units = none;
      return taken;
    },
    stop: async () => {
      await proxy.stop();
      await database.stop();
    },
  };
};

/** The item that a write is about. */
const findItem = async (
  { input }: DynamoDbCall,
  { TableName, KeySchema = [] }: TableDefinition,
  forward: Forward,
): Promise<Item | null> => {
  const item = (input.Key ?? input.Item) as Item;
  const Key = Object.fromEntries(
    KeySchema.map(({ AttributeName = '' }) => [AttributeName, item[AttributeName]]),
  );
  const { body } = await forward({ operation: 'GetItem', input: { TableName, Key, ConsistentRead: true } });
  return readItem(body);
};

const readItem = (body: string): Item | null => JSON.parse(body).Item ?? null;
