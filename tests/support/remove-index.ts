import { DeleteTableCommand, type DynamoDBClient, waitUntilTableNotExists } from '@aws-sdk/client-dynamodb';
import { ensureTable, TABLE_WAITING } from 'lambda-stage/database';
import { readTableDefinitions } from '../../packages/local/database/tables.ts';

/** Makes a table of the stage `test` anew, empty and without one of its indexes: dynalite can't remove one. */
export const removeIndex = async (sdk: DynamoDBClient, TableName: string, index: string): Promise<void> => {
  const definition = readTableDefinitions('test').find((one) => one.TableName === TableName);
  const { KeySchema, AttributeDefinitions = [], GlobalSecondaryIndexes = [] } = definition ?? {};
  const left = GlobalSecondaryIndexes.filter(({ IndexName }) => IndexName !== index);
  const keys = [KeySchema, ...left.map((one) => one.KeySchema)].flatMap((schema = []) =>
    schema.map(({ AttributeName }) => AttributeName),
  );
  await sdk.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists({ client: sdk, ...TABLE_WAITING }, { TableName });
  await ensureTable(sdk, {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema,
    AttributeDefinitions: AttributeDefinitions.filter(({ AttributeName }) => keys.includes(AttributeName)),
    ...(left.length === 0 ? {} : { GlobalSecondaryIndexes: left }),
  });
};
