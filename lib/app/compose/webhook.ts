import { lazy } from '@hookloom/plugin-kit';
import { createCredentialStore } from '../../adapters/dynamodb/credential-stores.ts';
import type { createDeliveryStore } from '../../adapters/dynamodb/delivery-store.ts';
import { randomIds, systemClock } from '../../adapters/runtime/system-clock.ts';
import { createIdOfRequest } from '../../executions/deliveries/to-execution-id.ts';
import type { DeliveryStore } from '../../executions/delivery-store.ts';
import type { InstalledPlugins } from '../../plugins/installed-plugin.ts';
import type { CatchRequest } from '../../webhooks/listening/catch-request.ts';
import type { RecordRequest } from '../../webhooks/requests/request-outcome.ts';
import type { Config } from '../config.ts';
import type { CallsToSelfParts } from './open-calls-to-self.chunk.ts';
import type { ListeningParts } from './open-listening.chunk.ts';
import type { RequestParts } from './open-requests.chunk.ts';
import { late, openConfig, openDispatcher } from './parts.ts';
import { openRunParts, withEnds } from './runs.ts';

export const openWebhook = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const { client, tables, ...parts } = withEnds(config, openRunParts(installed, config), {
    countsInline: false,
  });
  return {
    ...parts,
    credentials: createCredentialStore(client, tables),
    deliveries: lateDeliveries(client, tables),
    dispatcher: openDispatcher(config),
    openFeatures: late(async () =>
      (await import('./open-features.chunk.ts')).openFeaturesWith({
        ...parts,
        config,
        client,
        tables,
        clock: systemClock,
        http: parts.outboundCredentials,
        credentials: parts.outboundCredentials,
      }),
    ),
    idOfRequest: createIdOfRequest(systemClock),
    recordRequest: lateRequests({
      ...parts,
      client,
      tables,
      retentionDays: config.requestRetentionDays,
      clock: systemClock,
      ids: randomIds,
    }),
    catchRequest: lateCatch({ client, tables, clock: systemClock }),
    limitCallsToSelf: lateLimit({ client, tables, clock: systemClock }),
    settings: {
      maxBodyBytes: config.maxBodyBytes,
      maxBodyDepth: config.maxBodyDepth,
      cacheTtlMs: config.workflowCacheMs,
      deduplicationWindowMs: config.deduplicationWindowMs,
    },
  };
};

/** The claims of deliveries, loaded for the first one with a key. */
const lateDeliveries = (...parts: Parameters<typeof createDeliveryStore>): DeliveryStore => {
  const load = lazy(async () => (await import('./open-deliveries.chunk.ts')).createDeliveryStore(...parts));
  return {
    find: async (deliveryId) => (await load()).find(deliveryId),
    claim: async (claim) => (await load()).claim(claim),
    takeOver: async (claim) => (await load()).takeOver(claim),
  };
};

/** Catches requests as tests, loaded for the first workflow that has listened. */
const lateCatch = (parts: ListeningParts): CatchRequest =>
  late(async () => (await import('./open-listening.chunk.ts')).openCatchRequest(parts));

/** Limits calls to this service itself, loaded for the first one. */
const lateLimit = (parts: CallsToSelfParts) =>
  late(async () => (await import('./open-calls-to-self.chunk.ts')).openLimitCallsToSelf(parts));

/** Records requests, loaded for the first one: accepted requests are seldom recorded. Never throws. */
const lateRequests = (parts: RequestParts): RecordRequest => {
  const record = late(async () => (await import('./open-requests.chunk.ts')).openRecordRequest(parts));
  return async (outcome) => {
    try {
      await record(outcome);
    } catch (cause) {
      parts.logger.warn('Requests cannot be recorded.', { cause });
    }
  };
};
