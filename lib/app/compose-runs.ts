import { cacheBlobs } from '../adapters/blobs/cache-blobs.ts';
import { lateHttpClient } from '../adapters/http-client/late-http-client.ts';
import { withFields } from '../adapters/runtime/logger.ts';
import { randomIds } from '../adapters/runtime/random-ids.ts';
import { systemClock } from '../adapters/runtime/system-clock.ts';
import { createCallbackUrls } from '../callbacks/callback-urls.ts';
import type { CallbackUrls } from '../engine/session.ts';
import type { BackgroundParts } from '../executions/lifecycle/background-run.ts';
import { createOpenPlan, createOtherWorkflows } from '../executions/lifecycle/plans.ts';
import type { ExecutionRecord } from '../executions/record/execution-store.ts';
import { createCache } from '../shared/cache.ts';
import type { Plan } from '../workflows/plan/plan.ts';
import { openConfig, openLogger, openProcess, openRegistry } from './compose.ts';
import { need, openBlobs, openEvents, openStore } from './compose-stores.ts';
import type { Config } from './config.ts';

/** How many plans a sandbox keeps. */
const PLAN_ENTRIES = 200;

/**
 * What the functions for background runs are made of.
 * @throws AppError `CONFIGURATION_INVALID`
 */
export const openRuns = (
  config: Config = openConfig(),
): BackgroundParts & { readonly openCallbackUrls: (record: ExecutionRecord) => CallbackUrls } => {
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
    blobs: cacheBlobs(openBlobs(config)),
    ...openEvents(config, logger),
    services: { clock: systemClock, ids: randomIds, http: lateHttpClient(config.outboundAllow) },
    logger,
    guard: openProcess(config, logger)?.guard,
    loggerFor: ({ executionId, workflowId, workflowVersion, traceparent }) =>
      withFields(logger, { executionId, workflowId, workflowVersion, traceparent }),
    openCallbackUrls: (record) =>
      createCallbackUrls(
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
