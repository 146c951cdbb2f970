import type { Clock } from '@hookloom/plugin-kit';
import type { DynamoDbClient } from '../../adapters/dynamodb/client.ts';
import { createTokenBuckets } from '../../adapters/dynamodb/limits/token-buckets.ts';
import type { TableNames } from '../../adapters/dynamodb/table-names.ts';
import { createLimitCallsToSelf, type LimitCallsToSelf } from '../../webhooks/limits/limit-calls-to-self.ts';
import { rememberBuckets } from '../../webhooks/limits/token-bucket.ts';

export interface CallsToSelfParts {
  readonly client: DynamoDbClient;
  readonly tables: TableNames;
  readonly clock: Pick<Clock, 'now'>;
}

const MAX_BUCKETS = 1_000;

export const openLimitCallsToSelf = ({ client, tables, clock }: CallsToSelfParts): LimitCallsToSelf =>
  createLimitCallsToSelf(rememberBuckets(createTokenBuckets(client, tables), MAX_BUCKETS), clock);
