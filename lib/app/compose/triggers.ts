import type { Logger, RegistrationContext } from '@hookloom/plugin-kit';
import type { AwsCallerOptions } from '../../adapters/aws/aws-caller.ts';
import { createStartPoll } from '../../adapters/aws/lambda-events.ts';
import { createOpenRegistrationContext } from '../../adapters/aws/registration-context.ts';
import { createSendStackResponse } from '../../adapters/aws/stack-response.ts';
import { createDeliveryStore } from '../../adapters/dynamodb/delivery-store.ts';
import { createListExpiring, createStandingStore } from '../../adapters/dynamodb/health/standing-store.ts';
import { createRegistrationStore } from '../../adapters/dynamodb/registrations/registration-store.ts';
import { createStateStore } from '../../adapters/dynamodb/state-store.ts';
import { createStatisticsStore } from '../../adapters/dynamodb/statistics/statistics-store.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import { createWorkflowStore } from '../../adapters/dynamodb/workflows/workflow-store.ts';
import { randomIds, systemClock } from '../../adapters/runtime/system-clock.ts';
import type { InstalledPlugins } from '../../plugins/installed-plugin.ts';
import type { RegistrarParts } from '../../triggers/registrations/registrar.ts';
import type { Config } from '../config.ts';
import { openPlugins } from '../sandbox.ts';
import type { OpenNotify } from '../triggers/notify.ts';
import {
  late,
  need,
  openBlobs,
  openConfig,
  openDispatcher,
  openLambda,
  openLogger,
  openNotices,
  openReadVariables,
  openRecalledWorkflows,
  openStageWorkflows,
  openStores,
} from './parts.ts';

/** For functions of one's own: docs/plugins.md. @public */
export const openEventFunction = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const logger = openLogger(config);
  const { client, tables, ...stores } = openStores(config);
  return {
    ...stores,
    workflows: openRecalledWorkflows(config, { client, tables, ...stores }),
    client,
    tables,
    deliveries: createDeliveryStore(client, tables),
    windowMs: config.deduplicationWindowMs,
    maxInputDepth: config.maxBodyDepth,
    dispatcher: openDispatcher(config),
    blobs: openBlobs(config),
    loadNodeTypes: openPlugins(installed, config, logger).loadNodeTypes,
    clock: systemClock,
    ids: randomIds,
    logger,
  };
};

/** Opens the parts for manual starts. */
export const openRunWorkflow = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const { maxBodyBytes, maxBodyDepth } = config;
  const parts = openEventFunction(installed, config);
  return {
    ...parts,
    // A manual start sees the variables that were set before it.
    workflows: openStageWorkflows(config, openStores(config, parts.client)),
    settings: { maxBodyBytes, maxBodyDepth },
  };
};

/** Opens the function that receives the events of all triggers that register themselves. */
export const openDispatch = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const parts = openEventFunction(installed, config);
  return {
    ...parts,
    registrations: createRegistrationStore(parts.client, parts.tables, systemClock),
    readVariables: openReadVariables(parts),
    startPoll: createStartPoll(openLambda(config, {}), need(config.expressFunction, 'RUN_EXPRESS_FUNCTION')),
    openNotify: (async (...given) => {
      const { openNotify } = await import('./open-notify.chunk.ts');
      return openNotify({ ...parts, stage: config.stage, terminal: config.noticesPrintedAt }, ...given);
    }) satisfies OpenNotify,
    printsNotices: config.noticesPrintedAt !== null,
    traceAfter:
      config.traces === null
        ? undefined
        : late(async () => (await import('./open-trace.chunk.ts')).openTraceAfter(config.traceRatio)),
  };
};

export const openRegistrations = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const logger = openLogger(config);
  const { client, tables, executions } = openStores(config);
  const { loadNodeTypes } = openPlugins(installed, config, logger);
  return {
    ...openRegistrar(config, { client, tables, logger }),
    workflows: createWorkflowStore(client, tables, systemClock),
    loadNodeTypes,
    sendStackResponse: createSendStackResponse(),
    standing: createStandingStore(client, tables),
    listExpiring: createListExpiring({ client, tables }),
    notices: openNotices({ client, tables }),
    executions,
    deliveries: createDeliveryStore(client, tables),
    state: createStateStore(client, tables),
    statistics: createStatisticsStore(client, tables, systemClock),
    windowMs: config.deduplicationWindowMs,
    retentionMs: config.retentionDays * DAY_MS,
  };
};

const DAY_MS = 86_400_000;

interface RegistrarOptions extends StageTables, Pick<AwsCallerOptions, 'readCredentials'> {
  readonly logger: Logger;
}

/**
 * Adds the schedules of the stage to a context of registrations: calls of EventBridge Scheduler, loaded on use.
 * @internal
 */
export const withSchedules = (context: Omit<RegistrationContext, 'schedules'>): RegistrationContext => {
  const load = () => import('../../triggers/types/register-schedule.chunk.ts');
  return {
    ...context,
    schedules: {
      put: async (trigger) => (await load()).putSchedule(trigger, context),
      remove: async (trigger) => (await load()).removeSchedule(trigger, context),
      inspect: async (trigger) => (await load()).inspectSchedule(trigger, context),
    },
  };
};

/** Registers triggers, with the keys of the environment by default. */
export const openRegistrar = (
  config: Config,
  { client, tables, logger, ...keys }: RegistrarOptions,
): Omit<RegistrarParts, 'findNodeType'> => {
  const openContext = createOpenRegistrationContext({
    prefix: need(config.tablePrefix, 'TABLE_PREFIX'),
    region: config.region,
    endpoint: config.sourcesEndpoint,
    now: systemClock.now,
    ...keys,
  });
  return {
    registrations: createRegistrationStore(client, tables, systemClock),
    readVariables: openReadVariables({ client, tables }),
    openContext: async () => withSchedules(await openContext()),
    clock: systemClock,
    logger,
  };
};
