import { createCallLimitStore } from '../../../lib/adapters/dynamodb/limits/call-limit-store.ts';
import { createRenewalLocks } from '../../../lib/adapters/dynamodb/limits/renewal-locks.ts';
import { createSlotStore } from '../../../lib/adapters/dynamodb/limits/slot-store.ts';
import { createTokenBuckets } from '../../../lib/adapters/dynamodb/limits/token-buckets.ts';
import { describeCallLimitStore } from '../../support/call-limit-suite.ts';
import { describeRenewalLocks } from '../../support/renewal-locks-suite.ts';
import { describeSlotStore } from '../../support/slot-store-suite.ts';
import { useTestDatabases } from '../../support/test-database.ts';
import { describeTokenBuckets } from '../../support/token-bucket-suite.ts';

const openDatabase = useTestDatabases();

describeTokenBuckets('DynamoDB', async () => {
  const { client, tables } = await openDatabase();
  return createTokenBuckets(client, tables);
});

describeSlotStore('DynamoDB', async () => {
  const { client, tables } = await openDatabase();
  return createSlotStore(client, tables);
});

describeRenewalLocks('DynamoDB', async () => {
  const { client, tables } = await openDatabase();
  return createRenewalLocks(client, tables);
});

describeCallLimitStore('DynamoDB', async () => {
  const { client, tables } = await openDatabase();
  return createCallLimitStore(client, tables);
});
