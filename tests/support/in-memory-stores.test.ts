import { describeCallbackIndex } from './callback-index-suite.ts';
import { describeCredentialStore } from './credential-store-suite.ts';
import { describeDeliveryStore } from './delivery-store-suite.ts';
import { describeExecutionStore, describeExecutionStoreAtScale } from './execution-store-suite.ts';
import { describeHeldQueues } from './held-queues-suite.ts';
import { inMemoryRegistrations } from './in-memory-registrations.ts';
import {
  inMemoryBuckets,
  inMemoryCredentialStore,
  inMemoryDeliveryStore,
  inMemoryExecutionStore,
  inMemoryRequestStore,
  inMemorySlots,
  inMemoryWorkflowStore,
} from './in-memory-stores.ts';
import { inMemoryOutboundStore, inMemorySecrets } from './outbound-credentials.ts';
import { describeOutboundStore } from './outbound-store-suite.ts';
import { describeRegistrationStore } from './registration-store-suite.ts';
import { describeRequestStore } from './request-store-suite.ts';
import { describeSecretStore } from './secret-store-suite.ts';
import { describeSlotStore } from './slot-store-suite.ts';
import { describeTokenBuckets } from './token-bucket-suite.ts';
import { describeWorkflowStore } from './workflow-store-suite.ts';

describeWorkflowStore('the store in memory', () => inMemoryWorkflowStore());
describeCredentialStore('the store in memory', inMemoryCredentialStore);
describeExecutionStore('the store in memory', () => inMemoryExecutionStore());
describeExecutionStoreAtScale('the store in memory', () => inMemoryExecutionStore());
describeHeldQueues('the store in memory', async () => {
  const executions = inMemoryExecutionStore();
  return { executions, queues: executions.queues };
});
describeCallbackIndex('the store in memory', (now) => {
  const executions = inMemoryExecutionStore(() => now);
  return { executions, callbacks: executions.callbacks };
});
describeDeliveryStore('the store in memory', inMemoryDeliveryStore);
describeRegistrationStore('the store in memory', inMemoryRegistrations);
describeRequestStore('the store in memory', inMemoryRequestStore);
describeSlotStore('the store in memory', inMemorySlots);
describeTokenBuckets('the store in memory', inMemoryBuckets);
describeOutboundStore('the store in memory', inMemoryOutboundStore);
describeSecretStore('the store in memory', inMemorySecrets);
