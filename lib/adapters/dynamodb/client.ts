import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/**
 * The SDK's own limits are made for batch work. A webhook's caller waits at most 30 s, so: three tries in all,
 * each of them short.
 * @param endpoint a DynamoDB on this machine; absent in AWS, where region and credentials come from the environment
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
