import { createCallbackIndex } from '../../adapters/dynamodb/callbacks/callback-index.ts';
import { createHeldQueues } from '../../adapters/dynamodb/held/held-queues.ts';
import { createSlotStore } from '../../adapters/dynamodb/limits/slot-store.ts';
import { findVersionProblem, noteStageVersions } from '../../adapters/dynamodb/stored-data/stage-versions.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import { createTakeSlot } from '../../webhooks/limits/take-slot.ts';
import type { Config } from '../config.ts';
import type { CheckValues } from '../sweep-handler.ts';
import {
  openConfig,
  openDispatcher,
  openDurableService,
  openEvents,
  openFailures,
  openLogger,
  openRecalledWorkflows,
  openStores,
  openVersions,
} from './parts.ts';

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
