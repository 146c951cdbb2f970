import { createCredentialStore } from '../../../lib/adapters/dynamodb/credential-store.ts';
import { createDeliveryStore } from '../../../lib/adapters/dynamodb/delivery-store.ts';
import { createExecutionStore } from '../../../lib/adapters/dynamodb/execution-store.ts';
import { createWorkflowStore } from '../../../lib/adapters/dynamodb/workflow-store.ts';
import { describeCredentialStore } from '../../support/credential-store-suite.ts';
import { describeDeliveryStore } from '../../support/delivery-store-suite.ts';
import { describeExecutionStore } from '../../support/execution-store-suite.ts';
import { useTestDatabases } from '../../support/test-database.ts';
import { describeWorkflowStore } from '../../support/workflow-store-suite.ts';

const openDatabase = useTestDatabases();

describeWorkflowStore('DynamoDB', async () => {
  const { client, tables } = await openDatabase();
  return createWorkflowStore(client, tables, { now: () => 1_700_000_000_000 });
});

describeCredentialStore('DynamoDB', async () => {
  const { client, tables } = await openDatabase();
  return createCredentialStore(client, tables);
});

describeExecutionStore('DynamoDB', async () => {
  const { client, tables } = await openDatabase();
  return createExecutionStore(client, tables, {
    retentionDays: 30,
    clock: { now: () => 1_700_000_000_000 },
  });
});

describeDeliveryStore('DynamoDB', async () => {
  const { client, tables } = await openDatabase();
  return createDeliveryStore(client, tables);
});
