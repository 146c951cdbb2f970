import { createCredentialStore } from '../../adapters/dynamodb/credential-stores.ts';
import { randomIds, systemClock } from '../../adapters/runtime/system-clock.ts';
import { createIdOfRequest } from '../../executions/deliveries/to-execution-id.ts';
import type { InstalledPlugins } from '../../plugins/installed-plugin.ts';
import type { RecordRequest } from '../../webhooks/requests/request-outcome.ts';
import type { Config } from '../config.ts';
import type { RequestParts } from './open-requests.chunk.ts';
import { late, latePort, openConfig, openDispatcher } from './parts.ts';
import { openRunParts, withEnds } from './runs.ts';

export const openWebhook = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const { client, tables, ...parts } = withEnds(config, openRunParts(installed, config), {
    countsInline: false,
  });
  return {
    ...parts,
    credentials: createCredentialStore(client, tables),
    // For the first delivery with a key.
    deliveries: latePort(
      async () => (await import('./open-deliveries.chunk.ts')).createDeliveryStore(client, tables),
      ['find', 'claim', 'takeOver'],
    ),
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
    // For the first workflow that has listened.
    catchRequest: late(async () =>
      (await import('./open-listening.chunk.ts')).openCatchRequest({ client, tables }),
    ),
    limitCallsToSelf: late(async () =>
      (await import('./open-calls-to-self.chunk.ts')).openLimitCallsToSelf({ client, tables }),
    ),
    settings: {
      maxBodyBytes: config.maxBodyBytes,
      maxBodyDepth: config.maxBodyDepth,
      cacheTtlMs: config.workflowCacheMs,
      deduplicationWindowMs: config.deduplicationWindowMs,
    },
  };
};

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
