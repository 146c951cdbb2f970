import {
  BatchGetItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Timeouts } from '../aws/aws-caller.ts';
import { LOCAL_TIMEOUTS } from '../aws/aws-caller.ts';
import type { DynamoDbClient } from './client.ts';

/**
 * The SDK's client, with three short tries, since its default limits are made for batch work.
 * @param endpoint - a DynamoDB on this machine; absent in AWS, where the SDK finds region and credentials, including
 * profiles and single sign-on
 */
export const createSdk = (endpoint?: string): DynamoDBClient =>
  new DynamoDBClient({
    maxAttempts: 3,
    ...(endpoint === undefined
      ? { requestHandler: toHandler({ connectMs: 1_000, exchangeMs: 3_000 }) }
      : {
          endpoint,
          region: 'local',
          credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
          requestHandler: toHandler(LOCAL_TIMEOUTS),
        }),
  });

const toHandler = ({ connectMs, exchangeMs }: Timeouts) => ({
  connectionTimeout: connectMs,
  requestTimeout: exchangeMs,
  throwOnRequestTimeout: true,
});

/** The client of the command line and of local scripts. */
export const createSdkClient = (sdk: DynamoDBClient): DynamoDbClient => ({
  getItem: (input) => sdk.send(new GetItemCommand(input)),
  putItem: (input) => sdk.send(new PutItemCommand(input)),
  updateItem: (input) => sdk.send(new UpdateItemCommand(input)),
  deleteItem: (input) => sdk.send(new DeleteItemCommand(input)),
  batchGetItem: (input) => sdk.send(new BatchGetItemCommand(input)),
  query: (input) => sdk.send(new QueryCommand(input)),
  scan: (input) => sdk.send(new ScanCommand(input)),
});
