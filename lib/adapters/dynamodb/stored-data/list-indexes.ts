import {
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import type { ListIndexes } from './check-stored-data.ts';

/** By `DescribeTable`: for operators and the local service, since functions have no grant for it. An index that is being built is left out. */
export const createListIndexes =
  (sdk: DynamoDBClient): ListIndexes =>
  async (TableName) => {
    try {
      const { Table } = await sdk.send(new DescribeTableCommand({ TableName }));
      return (Table?.GlobalSecondaryIndexes ?? []).flatMap(({ IndexName, IndexStatus = 'ACTIVE' }) =>
        IndexName !== undefined && IndexStatus !== 'CREATING' && IndexStatus !== 'DELETING'
          ? [IndexName]
          : [],
      );
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return null;
      throw error;
    }
  };
