import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/**
 * Three short tries: a webhook's caller waits for 30 s at most, and the SDK's default limits are made for batch work.
 *
 * @param endpoint - a DynamoDB on this machine; absent in AWS, where region and credentials come from the environment
 */
export const createDynamoDbClient = (endpoint?: string): DynamoDBClient =>
  new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
    ...(endpoint === undefined
      ? {}
      : {
          endpoint,
          region: 'local',
          credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
        }),
  });
