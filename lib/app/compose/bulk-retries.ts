import { createInvokeRunner } from '../../adapters/aws/lambda-events.ts';
import { createBulkRetryStore } from '../../adapters/dynamodb/executions/bulk-retry-store.ts';
import { randomIds, systemClock } from '../../adapters/runtime/system-clock.ts';
import { executionIdOfRetry } from '../../executions/deliveries/to-execution-id.ts';
import { createOpenPlan, nodeTypesOf } from '../../executions/lifecycle/plans.ts';
import type { InstalledPlugins } from '../../plugins/installed-plugin.ts';
import { createCache } from '../../shared/cache.ts';
import type { Workflow } from '../../workflows/definition/definition.ts';
import { resolveExecution } from '../../workflows/definition/resolve-execution.ts';
import type { Plan } from '../../workflows/plan/plan.ts';
import type { Config } from '../config.ts';
import { openPlugins } from '../sandbox.ts';
import {
  need,
  openConfig,
  openDispatcher,
  openLambda,
  openLogger,
  openRecalledWorkflows,
  openStores,
  openVersions,
} from './parts.ts';

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

export const openRetryExecutions = (installed: InstalledPlugins, config: Config = openConfig()) => ({
  ...openBulkRetries(installed, config),
  dispatcher: openDispatcher(config),
  toRetryId: executionIdOfRetry,
});
