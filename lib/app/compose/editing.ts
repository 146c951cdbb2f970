import { createCredentialStore } from '../../adapters/dynamodb/credential-stores.ts';
import { createListDefinitions } from '../../adapters/dynamodb/health/health-reads.ts';
import { createHeldQueues } from '../../adapters/dynamodb/held/held-queues.ts';
import { createWorkflowStore } from '../../adapters/dynamodb/workflows/workflow-store.ts';
import { lateHttpClient } from '../../adapters/http-client/late-http-client.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import { lateTcpClient } from '../../adapters/tcp-client/late-tcp-client.ts';
import type { Config } from '../config.ts';
import { openAdmin } from './admin.ts';
import { openCredentialParts } from './open-credentials.chunk.ts';
import { need, openConfig, openNudge, openStores } from './parts.ts';
import { openRegistrar } from './triggers.ts';

/** Opens the parts of the function that changes workflows, and what it checks them against. */
export const openEditWorkflows = (config: Config = openConfig()) => {
  const { logger, clock, loadRegistry } = openAdmin(config);
  const { client, tables } = openStores(config);
  const workflows = createWorkflowStore(client, tables, systemClock);
  const http = lateHttpClient(config.outboundAllow);
  const tcp = lateTcpClient(config.outboundAllow);
  const findType = async (type: string) => (await loadRegistry()).credentialTypes.get(type) ?? null;
  const listDefinitions = createListDefinitions(client, tables, { maxPages: Number.POSITIVE_INFINITY });
  return {
    ...openRegistrar(config, { client, tables, logger }),
    logger,
    clock,
    loadRegistry,
    workflows,
    listDefinitions,
    credentials: createCredentialStore(client, tables),
    outbound: openCredentialParts(config, { client, tables, http, tcp, findType }),
    queues: createHeldQueues(client, tables, config),
    nudgeQueue: openNudge(config),
    baseUrl: need(config.publicUrl, 'PUBLIC_URL'),
  };
};
