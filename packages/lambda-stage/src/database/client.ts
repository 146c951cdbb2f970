import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A client of a DynamoDB on this machine, which accepts any keys. */
export const createClient = (endpoint: string, region = 'local'): DynamoDBClient =>
  new DynamoDBClient({ endpoint, region, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } });
