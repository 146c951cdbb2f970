import { createJsonClient } from '../../../lib/adapters/dynamodb/json-client.ts';
import { createCallLimitStore } from '../../../lib/adapters/dynamodb/limits/call-limit-store.ts';
import { createRenewalLocks } from '../../../lib/adapters/dynamodb/limits/renewal-locks.ts';
import { createSlotStore } from '../../../lib/adapters/dynamodb/limits/slot-store.ts';
import { createTokenBuckets } from '../../../lib/adapters/dynamodb/limits/token-buckets.ts';
import { describeCallLimitStore } from '../../support/call-limit-suite.ts';
import { cases } from '../../support/deep.ts';
import { describeRenewalLocks } from '../../support/renewal-locks-suite.ts';
import { describeSlotStore } from '../../support/slot-store-suite.ts';
import { useTestDatabases } from '../../support/test-database.ts';
import { describeTokenBuckets } from '../../support/token-bucket-suite.ts';

const openDatabase = useTestDatabases();

/** The embedded DynamoDB answers one request after the other: the last of a thousand waits. */
const timeouts = { connectMs: 60_000, exchangeMs: 60_000 };

const open = async () => {
  const { endpoint, tables } = await openDatabase();
  return { client: createJsonClient({ region: 'local', endpoint, timeouts }), tables };
};

describeTokenBuckets(
  'DynamoDB',
  async () => {
    const { client, tables } = await open();
    return createTokenBuckets(client, tables);
  },
  cases(80, 1_000),
);

describeSlotStore(
  'DynamoDB',
  async () => {
    const { client, tables } = await open();
    return createSlotStore(client, tables);
  },
  cases(40, 500),
);

describeRenewalLocks('DynamoDB', async () => {
  const { client, tables } = await open();
  return createRenewalLocks(client, tables);
});

describeCallLimitStore('DynamoDB', async () => {
  const { client, tables } = await open();
  return createCallLimitStore(client, tables);
});
