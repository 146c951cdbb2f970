import { openConfig, openLogger, openProcess, openRegistry } from './app.ts';
import { need, openBlobs, openEvents, openStore } from './background-app.ts';
import { rememberBlobs } from './blobs/remember-blobs.ts';
import { createCache } from './cache.ts';
import { createDesk } from './callbacks/desk.ts';
import type { Config } from './config.ts';
import type { BackgroundParts } from './executions/background-run.ts';
import type { ExecutionRecord } from './executions/execution-store.ts';
import { createOpenPlan, createOtherWorkflows } from './executions/plans.ts';
import type { CallbackDesk } from './executions/session.ts';
import { lateHttpClient } from './services/late-http-client.ts';
import { withFields } from './services/logger.ts';
import { randomIds } from './services/random-ids.ts';
import { systemClock } from './services/system-clock.ts';
import type { Plan } from './workflows/plan.ts';

/** How many plans a sandbox keeps. */
const PLAN_ENTRIES = 200;

/**
 * What the functions for background runs are made of.
 * @throws AppError `CONFIGURATION_INVALID`
 */
export const openRuns = (
  config: Config = openConfig(),
): BackgroundParts & { readonly openDesk: (record: ExecutionRecord) => CallbackDesk } => {
  const logger = openLogger(config);
  const loadRegistry = openRegistry(config, logger);
  const { workflows, executions } = openStore(config);
  const openPlan = createOpenPlan({
    loadNodeTypes: async () => (await loadRegistry()).findNodeType,
    lookUpPlan: createCache<Plan>({
      ttlMs: Number.POSITIVE_INFINITY,
      maxEntries: PLAN_ENTRIES,
      clock: systemClock,
    }),
  });
  return {
    executions,
    workflows,
    openPlan,
    otherWorkflows: createOtherWorkflows(workflows, openPlan),
    blobs: rememberBlobs(openBlobs(config)),
    ...openEvents(config, logger),
    services: { clock: systemClock, ids: randomIds, http: lateHttpClient(config.outboundAllow) },
    logger,
    guard: openProcess(config, logger)?.guard,
    loggerFor: ({ executionId, workflowId, workflowVersion, traceparent }) =>
      withFields(logger, { executionId, workflowId, workflowVersion, traceparent }),
    openDesk: (record) =>
      createDesk(
        {
          executions,
          clock: systemClock,
          publicUrl: need(config.publicUrl, 'PUBLIC_URL'),
          ...(config.printsCallbacks ? { onOpen: printCallback } : {}),
        },
        record,
      ),
  };
};

/** Only the local service asks for it: anywhere else the address is a secret that no log may hold. */
const printCallback = (url: string): void => {
  process.stdout.write(`Waiting for an answer: ${url}\n`);
};
