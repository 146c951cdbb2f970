import { once } from 'node:events';
import { type CreateTableCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { ensureTable } from '../../database/ensure-table.ts';
import type { Answer, Routes } from './system.ts';

const database = dynalite({ createTableMs: 0 });

const ask: Answer = async (request, response) => {
  database.emit('request', request, response);
  await once(response, 'close');
};

/** DynamoDB, in memory; signatures are not checked. */
export const ordersTableRoutes: Routes = [[/^POST \/$/, ask]];

export const ordersTable: CreateTableCommandInput = {
  TableName: 'sample-orders',
  AttributeDefinitions: [{ AttributeName: 'number', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'number', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

/** @param endpoint - at which the routes are served */
export const createOrdersTable = async (endpoint: string): Promise<void> => {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'local', credentials });
  await ensureTable(client, ordersTable);
  client.destroy();
};
