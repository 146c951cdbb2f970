import { createListWorkflowIds } from '../adapters/dynamodb/workflow-ids.ts';
import { randomIds } from '../adapters/runtime/random-ids.ts';
import { systemClock } from '../adapters/runtime/system-clock.ts';
import type { RetryParts } from '../executions/lifecycle/retry-execution.ts';
import { resolveExecution } from '../workflows/definition/resolve-execution.ts';
import { compilePlan } from '../workflows/plan/plan.ts';
import { openConfig, openLogger, openRegistry } from './compose.ts';
import { openDispatcher, openDurableService, openEvents, openStore } from './compose-stores.ts';

/** What the functions that show executions are made of. @throws AppError `CONFIGURATION_INVALID` */
export const openExecutions = () => {
  const config = openConfig();
  const logger = openLogger(config);
  const store = openStore(config);
  const listWorkflowIds = createListWorkflowIds(store.client, store.tables);
  return { logger, clock: systemClock, ...store, listWorkflowIds, ...openEvents(config, logger) };
};

/** The same, for the one that cancels. @throws AppError `CONFIGURATION_INVALID` */
export const openCancel = () => ({ ...openExecutions(), durableService: openDurableService(openConfig()) });

/** The same, for the one that retries, which has to know the node types. @throws AppError `CONFIGURATION_INVALID` */
export const openRetry = () => {
  const config = openConfig();
  const loadRegistry = openRegistry(config, openLogger(config));
  const loadNodeTypes = async () => (await loadRegistry()).findNodeType;
  const parts: Pick<RetryParts, 'dispatcher' | 'openPlan' | 'modeOf' | 'ids'> = {
    dispatcher: openDispatcher(config),
    openPlan: async ({ definition }) => compilePlan(definition, await loadNodeTypes()),
    modeOf: async ({ definition }) => resolveExecution(definition, await loadNodeTypes()),
    ids: randomIds,
  };
  return { ...openExecutions(), ...parts };
};
