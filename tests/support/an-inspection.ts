import type { Clock } from '@hookloom/plugin-kit';
import { createInspect, type Inspect, type InspectParts } from '../../lib/health/inspect.ts';
import { silent } from './a-run.ts';
import { inMemoryCredentialStore } from './in-memory-stores.ts';
import { inMemoryLocks, inMemoryOutboundStore } from './outbound-credentials.ts';

/** A service without workflows, credentials and executions. */
export const emptyStores = (): InspectParts['stores'] => ({
  settings: { find: async () => ({ content: [], revision: 0 }) },
  state: { find: async () => null },
  standing: { find: async () => ({ silences: [], expiries: [], historyReadAt: 0 }) },
  listWorkflows: async () => ({ definitions: [], ids: [], isComplete: true }),
  runs: { find: async () => ({ ids: [], hasMore: false }), read: async () => [] },
  inbound: inMemoryCredentialStore(),
  outbound: inMemoryOutboundStore(),
  renewals: inMemoryLocks(),
});

/** The inspection of such a service; a test changes what it is about. */
export const anInspection = (
  clock: Clock,
  { stores = {}, ...changes }: Partial<Omit<InspectParts, 'stores'>> & { readonly stores?: object } = {},
): Inspect =>
  createInspect({
    stores: { ...emptyStores(), ...stores },
    writes: {},
    clock,
    logger: silent,
    openTest: () => async () => null,
    ping: async () => null,
    ...changes,
  });
