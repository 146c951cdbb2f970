import { cacheBlobs } from '../../adapters/blobs/cache-blobs.ts';
import { createLambdaCheckpointClient } from '../../adapters/durable/lambda-checkpoint-client.ts';
import { createCallbackIndex } from '../../adapters/dynamodb/callbacks/callback-index.ts';
import { createHeldQueues } from '../../adapters/dynamodb/held/held-queues.ts';
import { createSlotStore } from '../../adapters/dynamodb/limits/slot-store.ts';
import { readChange } from '../../adapters/dynamodb/statistics/read-change.ts';
import { findVersionProblem, noteStageVersions } from '../../adapters/dynamodb/stored-data/stage-versions.ts';
import { createCostNotes } from '../../adapters/dynamodb/workflows/cost-notes.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import { createCallbackUrls } from '../../approvals/callback-urls.ts';
import { executionIdOfRetry } from '../../executions/deliveries/to-execution-id.ts';
import { createNudgeAfterEnd } from '../../executions/held-queues.ts';
import type { CallbackSigner } from '../../executions/lifecycle/background-engine.ts';
import { createWatchLimits } from '../../executions/statistics/watch-limits.ts';
import type { InstalledPlugins } from '../../plugins/installed-plugin.ts';
import { createTakeSlot } from '../../webhooks/limits/take-slot.ts';
import type { Config } from '../config.ts';
import type { CheckValues } from '../sweep-handler.ts';
import { createTellLimit } from '../tell-limit.ts';
import { openBulkRetries, openStatistics } from './admin.ts';
import {
  late,
  need,
  openConfig,
  openDispatcher,
  openDurableService,
  openEvents,
  openFailures,
  openLambda,
  openLogger,
  openNotices,
  openNudge,
  openRecalledWorkflows,
  openStores,
  openVersions,
} from './parts.ts';
import { openRunParts, withEnds } from './runs.ts';

export const openSweep = (config: Config = openConfig()) => {
  const logger = openLogger(config);
  const { client, tables, ...stores } = openStores(config);
  const slots = createSlotStore(client, tables);
  return {
    ...stores,
    workflows: openVersions(openRecalledWorkflows(config, { client, tables, ...stores })),
    ...openEvents(config, logger),
    ...openFailures(config, logger, { client, tables }),
    dispatcher: openDispatcher(config),
    durableService: openDurableService(config),
    queues: createHeldQueues(client, tables, config),
    noteVersions: async () => findVersionProblem(await noteStageVersions(client, tables, { isNew: false })),
    checkValues: async (options: Parameters<CheckValues>[0]) =>
      (await import('./check-values.chunk.ts')).checkStageValues(config, { client, tables }, options),
    countsSweeps: config.hasAlarms,
    sendNotices: late(async () =>
      (await import('./open-notice-tick.chunk.ts')).openNoticeTick(config, { client, tables }),
    ),
    // No caching: called right after an execution ends.
    takeSlot: createTakeSlot({ slots, executions: stores.executions, clock: systemClock, knownMs: 0 }),
    clock: systemClock,
    logger,
  };
};

export const openCallbacks = (config: Config = openConfig()) => {
  const { client, tables, executions } = openStores(config);
  return {
    executions,
    callbacks: createCallbackIndex(client, tables, systemClock),
    durableService: openDurableService(config),
    clock: systemClock,
    logger: openLogger(config),
  };
};

export const openRetryExecutions = (installed: InstalledPlugins, config: Config = openConfig()) => ({
  ...openBulkRetries(installed, config),
  dispatcher: openDispatcher(config),
  toRetryId: executionIdOfRetry,
});

export const openAggregate = (config: Config = openConfig()) => {
  const { client, tables } = openStores(config);
  const parts = openStatistics(config);
  return {
    ...parts,
    readChange: (record: unknown) => readChange(record, config.eventBus !== null),
    watchLimits: createWatchLimits({
      ...parts,
      notes: createCostNotes(client, tables),
      tell: createTellLimit(openNotices({ client, tables }), parts),
    }),
  };
};

/** The parts of express runs, which never wait for callbacks and so issue no callback URLs. @internal */
export const openRuns = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const parts = withEnds(config, openRunParts(installed, config));
  return {
    ...parts,
    afterEnd: createNudgeAfterEnd(openNudge(config), parts.logger),
    blobs: cacheBlobs(parts.blobs),
  };
};

/** Opens the function for express runs, which also polls: what for is loaded on first use. */
export const openExpressRuns = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const parts = openRuns(installed, config);
  return {
    ...parts,
    runPoll: late(async () => (await import('./open-poll.chunk.ts')).openPoll(config, parts)),
  };
};

/** A checkpoint has up to 750 kB. */
const CHECKPOINT_TIMEOUTS = { connectMs: 5_000, exchangeMs: 55_000 };

export const openDurableRuns = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const parts = openRuns(installed, config);
  const urls = {
    executions: parts.executions,
    clock: systemClock,
    publicUrl: need(config.publicUrl, 'PUBLIC_URL'),
    ...(config.printsCallbacks ? { onOpen: printCallback } : {}),
  };
  return {
    ...parts,
    openCallbackUrls: (signer: CallbackSigner) => createCallbackUrls(urls, signer),
    client: createLambdaCheckpointClient(openLambda(config, { timeouts: CHECKPOINT_TIMEOUTS })),
  };
};

/**
 * Prints a callback URL, only for the terminal of the local service: elsewhere, it is a secret that must not be logged.
 */
const printCallback = (url: string): void => {
  process.stdout.write(`Waiting for an answer: ${url}\n`);
};
