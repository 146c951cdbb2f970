import {
  createCredentialStore,
  createOutboundCredentialStore,
} from '../../adapters/dynamodb/credential-stores.ts';
import { purgeWorkflow } from '../../adapters/dynamodb/health/purge-workflow.ts';
import { createHeldQueues } from '../../adapters/dynamodb/held/held-queues.ts';
import { createRenewalLocks } from '../../adapters/dynamodb/limits/renewal-locks.ts';
import { createListeningStore } from '../../adapters/dynamodb/requests/listening-store.ts';
import { createSettingsStore } from '../../adapters/dynamodb/settings-store.ts';
import { createWorkflowLists } from '../../adapters/dynamodb/workflows/workflow-reader.ts';
import { createWorkflowStore } from '../../adapters/dynamodb/workflows/workflow-store.ts';
import { createListUsers } from '../../adapters/dynamodb/workflows/workflow-uses.ts';
import { lateHttpClient } from '../../adapters/http-client/late-http-client.ts';
import { randomIds, systemClock } from '../../adapters/runtime/system-clock.ts';
import { lateTcpClient } from '../../adapters/tcp-client/late-tcp-client.ts';
import { findDisabledNodeTypes } from '../../plugins/disabled-plugins.ts';
import type { InstalledPlugins } from '../../plugins/installed-plugin.ts';
import type { Config } from '../config.ts';
import { openAdmin } from './admin.ts';
import { openCredentialParts, openSecrets } from './open-credentials.chunk.ts';
import { need, openConfig, openNudge, openStores } from './parts.ts';
import { openRegistrar } from './triggers.ts';

/** Opens the parts of the function that changes workflows, and what it checks them against. */
export const openEditWorkflows = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const { logger, clock, loadRegistry } = openAdmin(installed, config);
  const { client, tables } = openStores(config);
  const workflows = createWorkflowStore(client, tables, systemClock);
  const http = lateHttpClient(config.outboundAllow);
  const tcp = lateTcpClient(config.outboundAllow);
  const findType = async (type: string) => (await loadRegistry()).credentialTypes.get(type) ?? null;
  const settings = createSettingsStore(client, tables);
  return {
    ...openRegistrar(config, { client, tables, logger }),
    logger,
    clock,
    loadRegistry,
    readDisabled: async () =>
      findDisabledNodeTypes((await settings.findLatest('plugins')).content, (await loadRegistry()).plugins),
    workflows,
    listUsers: createListUsers(client, tables, workflows),
    listening: createListeningStore(client, tables),
    ids: randomIds,
    workflowCacheMs: config.workflowCacheMs,
    credentials: createCredentialStore(client, tables),
    outbound: openCredentialParts(config, { client, tables, http, tcp, findType }),
    queues: createHeldQueues(client, tables, config),
    nudgeQueue: openNudge(config),
    purgeWorkflow: (workflowId: string) => purgeWorkflow(workflowId, client, tables),
    baseUrl: need(config.publicUrl, 'PUBLIC_URL'),
  };
};

/** Opens the parts of the function that creates and changes credentials. */
export const openEditCredentials = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const { client, tables } = openStores(config);
  return {
    ...openAdmin(installed, config),
    inbound: createCredentialStore(client, tables),
    outbound: createOutboundCredentialStore(client, tables),
    secrets: openSecrets(config),
    locks: createRenewalLocks(client, tables),
    random: Math.random,
    listUsers: createListUsers(client, tables, createWorkflowLists(client, tables)),
    boundPrefix: `${need(config.tablePrefix, 'TABLE_PREFIX')}/`,
  };
};

/** Opens the parts of the function that changes the stage's settings. */
export const openSettings = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const { logger, clock, loadRegistry } = openAdmin(installed, config);
  const { client, tables } = openStores(config);
  return {
    ...openRegistrar(config, { client, tables, logger }),
    logger,
    clock,
    loadRegistry,
    settings: createSettingsStore(client, tables),
    listUsers: createListUsers(client, tables, createWorkflowLists(client, tables)),
  };
};
