import type { FeaturePorts } from '../../lib/webhooks/webhook-feature.ts';
import { aManualClock } from './a-manual-clock.ts';
import { inMemoryBuckets, inMemoryExecutionStore, inMemorySlots } from './in-memory-stores.ts';

/** What features use of the service: in memory, and with nothing to cancel. */
export const featurePorts = (ports: Partial<FeaturePorts> = {}): FeaturePorts => ({
  clock: aManualClock(),
  http: { request: () => Promise.reject(new Error('no network in tests')) },
  credentials: { open: () => Promise.reject(new Error('no credentials in tests')) },
  takeToken: inMemoryBuckets(),
  slots: inMemorySlots(),
  openUploads: () => {
    throw new Error('no uploads in tests');
  },
  queues: inMemoryExecutionStore().queues,
  executions: inMemoryExecutionStore(),
  cancelExecution: () => Promise.reject(new Error('nothing is cancelled here')),
  ...ports,
});
