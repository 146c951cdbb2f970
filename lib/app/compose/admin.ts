import { type Clock, lazy } from '@hookloom/plugin-kit';
import { createCallbackIndex } from '../../adapters/dynamodb/callbacks/callback-index.ts';
import { createDeliveryStore } from '../../adapters/dynamodb/delivery-store.ts';
import { createFindLastExecutions } from '../../adapters/dynamodb/executions/last-executions.ts';
import { createHoldsUnlisted } from '../../adapters/dynamodb/stored-data/stage-versions.ts';
import { createWorkflowStore } from '../../adapters/dynamodb/workflows/workflow-store.ts';
import { randomIds, systemClock } from '../../adapters/runtime/system-clock.ts';
import { nodeTypesOf } from '../../executions/lifecycle/plans.ts';
import type { Ports } from '../../executions/ports.ts';
import type { Inspect } from '../../health/inspect.ts';
import type { InstalledPlugins } from '../../plugins/installed-plugin.ts';
import type { LoadNodeTypes } from '../../plugins/load-node-types.ts';
import { resolveExecution } from '../../workflows/definition/resolve-execution.ts';
import { compilePlan } from '../../workflows/plan/compile-plan.ts';
import type { Config } from '../config.ts';
import type { OpenCredentialTests } from '../health.ts';
import { openPlugins, openRegistry } from '../sandbox.ts';
import type { openInspect } from './open-inspect.chunk.ts';
import {
  need,
  openBlobs,
  openConfig,
  openDispatcher,
  openDurableService,
  openEvents,
  openFailures,
  openLogger,
  openStageWorkflows,
  openStores,
} from './parts.ts';

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
  const inspect = lateInspect(config, logger, openBlobs(config), clock);
  const openTests = lateCredentialTests(config);
  const openStored = lazy(async () => (await import('./open-inspect.chunk.ts')).openStoredData(config));
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
    findLastExecutions: createFindLastExecutions(client, tables, executions, systemClock),
    baseUrl: need(config.publicUrl, 'PUBLIC_URL'),
  };
};

export const openShowExecution = (config: Config = openConfig()) => {
  const executions = openExecutions(config);
  return {
    ...executions,
    workflows: openStageWorkflows(config, executions),
    ...openFailures(config, executions.logger, executions),
  };
};

export const openCancel = (config: Config = openConfig()) => ({
  ...openExecutions(config),
  durableService: openDurableService(config),
});

export const openRetry = (installed: InstalledPlugins, config: Config = openConfig()) => {
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

/** The inspection of the plugins, loaded for the first report. */
const lateInspect = (...parts: Parameters<typeof openInspect>): Inspect => {
  const load = lazy(async () => (await import('./open-inspect.chunk.ts')).openInspect(...parts));
  return async (registry, options) => (await load())(registry, options);
};

/** The live tests, loaded for the first one. */
const lateCredentialTests =
  (config: Config): OpenCredentialTests =>
  async (registry) =>
    (await import('./open-inspect.chunk.ts')).openTests(config, registry);
