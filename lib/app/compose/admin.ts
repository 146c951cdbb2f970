import { type Clock, lazy } from '@hookloom/plugin-kit';
import { createInvokeRunner } from '../../adapters/aws/lambda-events.ts';
import { createCallbackIndex } from '../../adapters/dynamodb/callbacks/callback-index.ts';
import {
  createCredentialStore,
  createOutboundCredentialStore,
} from '../../adapters/dynamodb/credential-stores.ts';
import { createDeliveryStore } from '../../adapters/dynamodb/delivery-store.ts';
import { createBulkRetryStore } from '../../adapters/dynamodb/executions/bulk-retry-store.ts';
import { createFindLastExecutions } from '../../adapters/dynamodb/executions/last-executions.ts';
import { createMeasureRecord } from '../../adapters/dynamodb/executions/measure-record.ts';
import { purgeWorkflow } from '../../adapters/dynamodb/health/purge-workflow.ts';
import { createStandingStore } from '../../adapters/dynamodb/health/standing-store.ts';
import { createHeldQueues } from '../../adapters/dynamodb/held/held-queues.ts';
import { createRenewalLocks } from '../../adapters/dynamodb/limits/renewal-locks.ts';
import { createNoticeStore } from '../../adapters/dynamodb/notices/notice-store.ts';
import { createListeningStore } from '../../adapters/dynamodb/requests/listening-store.ts';
import { createRequestStore } from '../../adapters/dynamodb/requests/request-store.ts';
import { createSettingsStore } from '../../adapters/dynamodb/settings-store.ts';
import { createStateStore } from '../../adapters/dynamodb/state-store.ts';
import { createStatisticsStore } from '../../adapters/dynamodb/statistics/statistics-store.ts';
import { createHoldsUnlisted } from '../../adapters/dynamodb/stored-data/stage-versions.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import { createValueChecks } from '../../adapters/dynamodb/value-checks.ts';
import { createWorkflowLists } from '../../adapters/dynamodb/workflows/workflow-reader.ts';
import { createWorkflowStore } from '../../adapters/dynamodb/workflows/workflow-store.ts';
import { createListUsers } from '../../adapters/dynamodb/workflows/workflow-uses.ts';
import { createLogEvents } from '../../adapters/events/completion-events.ts';
import { lateHttpClient } from '../../adapters/http-client/late-http-client.ts';
import { randomIds, systemClock } from '../../adapters/runtime/system-clock.ts';
import { lateTcpClient } from '../../adapters/tcp-client/late-tcp-client.ts';
import { createOpenPlan, nodeTypesOf } from '../../executions/lifecycle/plans.ts';
import type { Ports } from '../../executions/ports.ts';
import { findDisabledNodeTypes } from '../../plugins/disabled-plugins.ts';
import type { InstalledPlugins } from '../../plugins/installed-plugin.ts';
import type { LoadNodeTypes } from '../../plugins/load-node-types.ts';
import { createCache } from '../../shared/cache.ts';
import { createLargeValues } from '../../state/large-values.ts';
import { createCheckEditedInput } from '../../webhooks/check-edited-input.ts';
import type { SendAgainParts } from '../../webhooks/requests/send-again.ts';
import type { Workflow } from '../../workflows/definition/definition.ts';
import { resolveExecution } from '../../workflows/definition/resolve-execution.ts';
import { compilePlan } from '../../workflows/plan/compile-plan.ts';
import type { Plan } from '../../workflows/plan/plan.ts';
import { createBodyParsers } from '../body-parsers.ts';
import type { Config } from '../config.ts';
import type { OpenCredentialTests } from '../health.ts';
import { openPlugins, openRegistry } from '../sandbox.ts';
import { openCredentialParts, openSecrets } from './open-credentials.chunk.ts';
import {
  late,
  lateSettings,
  need,
  openBlobs,
  openConfig,
  openDispatcher,
  openDurableService,
  openEvents,
  openFailures,
  openLambda,
  openLogger,
  openNudge,
  openRecalledWorkflows,
  openStageWorkflows,
  openStores,
  openVersions,
} from './parts.ts';
import { lateState, openRunParts } from './runs.ts';
import { openRegistrar } from './triggers.ts';

export const openAdmin = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const logger = openLogger(config);
  return { config, logger, clock: systemClock, loadRegistry: openRegistry(installed, config, logger) };
};

export const openHealth = (
  installed: InstalledPlugins,
  config: Config = openConfig(),
  clock: Clock = systemClock,
) => {
  need(config.tablePrefix, 'TABLE_PREFIX');
  const { logger, loadRegistry } = openAdmin(installed, config);
  const blobs = openBlobs(config);
  const load = () => import('./open-inspect.chunk.ts');
  const inspect = late(async () => (await load()).openInspect(config, logger, blobs, clock));
  const openTests: OpenCredentialTests = async (registry) => (await load()).openTests(config, registry);
  const openStored = lazy(async () => (await load()).openStoredData(config));
  const { pluginDeadlineMs } = config;
  return { logger, clock, loadRegistry, inspect, openTests, openStored, pluginDeadlineMs };
};

export const openExecutions = (config: Config = openConfig()) => {
  const logger = openLogger(config);
  const stores = openStores(config);
  const deliveries = createDeliveryStore(stores.client, stores.tables);
  return {
    logger,
    clock: systemClock,
    ...stores,
    deliveries,
    holdsUnlisted: createHoldsUnlisted(stores.client, stores.tables),
    ...openEvents(config, logger),
  };
};

export const openReadWorkflows = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const { client, tables, executions } = openStores(config);
  return {
    ...openAdmin(installed, config),
    workflows: createWorkflowStore(client, tables, systemClock),
    standing: createStandingStore(client, tables),
    findLastExecutions: createFindLastExecutions(client, tables, executions, systemClock),
    baseUrl: need(config.publicUrl, 'PUBLIC_URL'),
  };
};

export const openShowExecution = (config: Config = openConfig()) => {
  const executions = openExecutions(config);
  return {
    ...executions,
    workflows: openStageWorkflows(config, executions),
    measureRecord: createMeasureRecord(executions.client, executions.tables),
    region: config.region,
    ...openFailures(config, executions.logger, executions),
  };
};

export const openCancel = (config: Config = openConfig()) => ({
  ...openExecutions(config),
  durableService: openDurableService(config),
});

const openRetry = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const { loadNodeTypes } = openPlugins(installed, config, openLogger(config));
  const executions = openExecutions(config);
  return {
    ...executions,
    workflows: openStageWorkflows(config, executions),
    ...toRetry(loadNodeTypes),
    dispatcher: openDispatcher(config),
    ids: randomIds,
  };
};

/** Compiles the plan and resolves the mode of a retried workflow. */
const toRetry = (loadNodeTypes: LoadNodeTypes): Pick<Ports, 'openPlan' | 'modeOf'> => ({
  openPlan: async ({ definition }) => compilePlan(definition, await loadNodeTypes(nodeTypesOf(definition))),
  modeOf: async ({ definition }) =>
    resolveExecution(definition, await loadNodeTypes(nodeTypesOf(definition))),
});

export const openApprovals = (config: Config = openConfig()) => {
  const { client, tables, executions } = openStores(config);
  return {
    executions,
    callbacks: createCallbackIndex(client, tables, systemClock),
    holdsUnlisted: createHoldsUnlisted(client, tables),
    clock: systemClock,
    logger: openLogger(config),
  };
};

export const openRequests = (config: Config = openConfig()) => {
  const { logger, clock, client, tables } = openExecutions(config);
  const options = { retentionDays: config.requestRetentionDays, clock };
  return { logger, clock, requests: createRequestStore(client, tables, options) };
};

export const openSendAgain = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const { requests } = openRequests(config);
  const parts = openRetry(installed, config);
  return { ...parts, requests, settings: toSettings(config), ...openJudging(config, parts) };
};

/** The parts of a single retry, whose input may be edited. */
export const openEditedRetry = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const parts = openRetry(installed, config);
  const { openFeatures } = openJudging(config, parts);
  return {
    ...parts,
    windowMs: config.deduplicationWindowMs,
    blobs: openBlobs(config),
    checkInput: createCheckEditedInput({ ...parts, openFeatures }),
    settings: toSettings(config),
  };
};

const toSettings = ({ maxBodyBytes, maxBodyDepth }: Config) => ({ maxBodyBytes, maxBodyDepth });

/** Parses and judges a request that an operator vouches for: nothing is verified, so no credential is provided. */
const openJudging = (
  config: Config,
  parts: StageTables & Pick<Ports, 'executions' | 'logger'>,
): Pick<SendAgainParts, 'openFeatures' | 'parsersOf'> => ({
  openFeatures: late(async () =>
    (await import('./open-features.chunk.ts')).openFeaturesWith({
      ...parts,
      config,
      clock: systemClock,
      http: lateHttpClient(config.outboundAllow),
      credentials: { open: () => Promise.reject(new Error('requests that are sent again are not verified')) },
      events: createLogEvents(parts.logger, { countsInline: true }),
      usesOutbox: false,
    }),
  ),
  parsersOf: createBodyParsers(config.maxBodyDepth),
});

/** The parts that retry many executions, with a cache of what they share: versions and plans. */
export const openBulkRetries = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const logger = openLogger(config);
  const { client, tables, executions, ...stores } = openStores(config);
  const { loadNodeTypes } = openPlugins(installed, config, logger);
  const lookUpPlan = createCache<Plan>({
    ttlMs: Number.POSITIVE_INFINITY,
    maxEntries: 200,
    clock: systemClock,
  });
  const { retentionDays } = config;
  return {
    ...{ logger, clock: systemClock, ids: randomIds, executions },
    workflows: openVersions(openRecalledWorkflows(config, { client, tables, ...stores })),
    openPlan: createOpenPlan({ loadNodeTypes, lookUpPlan }),
    modeOf: async ({ definition }: Workflow) =>
      resolveExecution(definition, await loadNodeTypes(nodeTypesOf(definition))),
    bulkRetries: createBulkRetryStore(client, tables, { retentionDays, clock: systemClock }),
    invokeRunner: createInvokeRunner(openLambda(config, {}), need(config.retryFunction, 'RETRY_FUNCTION')),
  };
};

export const openStatistics = (config: Config = openConfig()) => {
  const { client, tables } = openStores(config);
  return {
    statistics: createStatisticsStore(client, tables, systemClock),
    logger: openLogger(config),
    clock: systemClock,
    region: config.region,
  };
};

/** Opens the parts of the function that shows statistics and open notices. */
export const openShowStatistics = (config: Config = openConfig()) => {
  const { client, tables } = openStores(config);
  return { ...openStatistics(config), notices: createNoticeStore(client, tables) };
};

/** Opens the parts of the function that shows and changes entries of state. */
export const openState = (config: Config = openConfig()) => {
  const { client, tables } = openStores(config);
  const checks = createValueChecks(client, tables);
  return {
    store: createStateStore(client, tables),
    values: createLargeValues({ blobs: openBlobs(config), checks, ids: randomIds }),
    logger: openLogger(config),
    clock: systemClock,
  };
};

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

/** Opens the parts of trials, which publish and report nothing. */
export const openTrials = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const parts = openRunParts(installed, config);
  return {
    ...parts,
    stateFor: lateState(parts, true),
    readVariables: lateSettings(config, parts).readVariables,
    stage: config.stage,
    maxInputDepth: config.maxBodyDepth,
    clock: systemClock,
    ids: randomIds,
  };
};
