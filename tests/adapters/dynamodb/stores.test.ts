import { expect, test } from '@jest/globals';
import { createCallbackIndex } from '../../../lib/adapters/dynamodb/callbacks/callback-index.ts';
import type { DynamoDbClient } from '../../../lib/adapters/dynamodb/client.ts';
import {
  createCredentialStore,
  createOutboundCredentialStore,
} from '../../../lib/adapters/dynamodb/credential-stores.ts';
import { createDeliveryStore } from '../../../lib/adapters/dynamodb/delivery-store.ts';
import { createExecutionStore } from '../../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createHeldQueues } from '../../../lib/adapters/dynamodb/held/held-queues.ts';
import { createRegistrationStore } from '../../../lib/adapters/dynamodb/registrations/registration-store.ts';
import { createRequestStore } from '../../../lib/adapters/dynamodb/requests/request-store.ts';
import { createSdkClient } from '../../../lib/adapters/dynamodb/sdk-client.ts';
import { createSettingsStore } from '../../../lib/adapters/dynamodb/settings-store.ts';
import { createStateStore } from '../../../lib/adapters/dynamodb/state-store.ts';
import { createValueChecks } from '../../../lib/adapters/dynamodb/value-checks.ts';
import { createWorkflowStore } from '../../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { describeCallbackIndex } from '../../support/callback-index-suite.ts';
import { describeCredentialStore } from '../../support/credential-store-suite.ts';
import { cases } from '../../support/deep.ts';
import { describeDeliveryStore } from '../../support/delivery-store-suite.ts';
import {
  describeExecutionStore,
  describeExecutionStoreAtScale,
} from '../../support/execution-store-suite.ts';
import { describeHeldQueues } from '../../support/held-queues-suite.ts';
import { anOutboundCredential, describeOutboundStore } from '../../support/outbound-store-suite.ts';
import { describeRegistrationStore } from '../../support/registration-store-suite.ts';
import { describeRequestStore } from '../../support/request-store-suite.ts';
import { describeSettingsStore } from '../../support/settings-store-suite.ts';
import { describeStateStore } from '../../support/state-store-suite.ts';
import { useTestDatabases } from '../../support/test-database.ts';
import { describeValueChecks } from '../../support/value-checks-suite.ts';
import { describeWorkflowStore } from '../../support/workflow-store-suite.ts';

const openDatabase = useTestDatabases();
type Database = Awaited<ReturnType<typeof openDatabase>>;

const clock = { now: () => 1_700_000_000_000 };

const clients: Readonly<Record<string, (database: Database) => DynamoDbClient>> = {
  'DynamoDB, called as the functions do,': ({ client }) => client,
  "DynamoDB, called through AWS's SDK,": ({ sdk }) => createSdkClient(sdk),
};

const all = Object.entries(clients);

/** The command line's tests call the stores through the SDK as well. */
for (const [name, clientOf] of cases(all.slice(0, 1), all)) {
  const open = async () => {
    const database = await openDatabase();
    return { client: clientOf(database), tables: database.tables };
  };

  describeCredentialStore(name, async () => {
    const { client, tables } = await open();
    return createCredentialStore(client, tables);
  });

  describeSettingsStore(name, async () => {
    const { client, tables } = await open();
    return createSettingsStore(client, tables);
  });

  describeStateStore(name, async () => {
    const { client, tables } = await open();
    return createStateStore(client, tables);
  });

  describeValueChecks(name, async () => {
    const { client, tables } = await open();
    return createValueChecks(client, tables);
  });

  describeOutboundStore(name, async () => {
    const { client, tables } = await open();
    return createOutboundCredentialStore(client, tables);
  });

  test(`${name} keeps inbound and outbound credentials apart, under one set of ids`, async () => {
    const { client, tables } = await open();
    const inbound = createCredentialStore(client, tables);
    const outbound = createOutboundCredentialStore(client, tables);
    const key = { id: 'key', type: 'apiKey', username: null, secrets: [], revision: 1 } as const;
    await inbound.put(key);
    await outbound.put(anOutboundCredential());
    expect([await inbound.find('crm'), await outbound.find('key')]).toEqual([null, null]);
    expect([await inbound.list(), await outbound.list()]).toEqual([[key], [anOutboundCredential()]]);
    for (const write of [
      () => inbound.put({ ...key, id: 'crm', revision: 2 }),
      () => outbound.put(anOutboundCredential({ id: 'key', revision: 2 })),
      () => inbound.put({ ...key, id: 'crm' }),
    ])
      await expect(write()).rejects.toMatchObject({ code: 'CREDENTIAL_CHANGED' });
    expect(await outbound.remove({ id: 'key', revision: 1 })).toBe(false);
  });

  const createExecutions = async () => {
    const { client, tables } = await open();
    return createExecutionStore(client, tables, { retentionDays: 30, clock });
  };
  const createWorkflows = async () => {
    const { client, tables } = await open();
    return createWorkflowStore(client, tables, clock);
  };
  describeHeldQueues(name, async () => {
    const { client, tables } = await open();
    const executions = createExecutionStore(client, tables, { retentionDays: 30, clock });
    return { executions, queues: createHeldQueues(client, tables, { retentionDays: 30 }) };
  });

  describeWorkflowStore(name, createWorkflows);
  describeExecutionStore(name, createExecutions);
  describeExecutionStoreAtScale(name, createExecutions);
  describeCallbackIndex(name, async (now) => {
    const { client, tables } = await open();
    const at = { now: () => now };
    return {
      executions: createExecutionStore(client, tables, { retentionDays: 30, clock: at }),
      callbacks: createCallbackIndex(client, tables, at),
    };
  });

  describeDeliveryStore(name, async () => {
    const { client, tables } = await open();
    return createDeliveryStore(client, tables);
  });

  describeRegistrationStore(name, async (own) => {
    const { client, tables } = await open();
    return createRegistrationStore(client, tables, own);
  });

  describeRequestStore(name, async () => {
    const { client, tables } = await open();
    return createRequestStore(client, tables, { retentionDays: 7, clock });
  });
}
