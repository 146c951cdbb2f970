import { createRequestStore } from '../../adapters/dynamodb/requests/request-store.ts';
import { createLogEvents } from '../../adapters/events/completion-events.ts';
import { lateHttpClient } from '../../adapters/http-client/late-http-client.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import type { InstalledPlugins } from '../../plugins/installed-plugin.ts';
import { createCheckEditedInput } from '../../webhooks/check-edited-input.ts';
import type { SendAgainParts } from '../../webhooks/requests/send-again.ts';
import { createBodyParsers } from '../body-parsers.ts';
import { type Config, readConfig } from '../config.ts';
import { openExecutions, openRetry } from './admin.ts';
import type { FeatureParts } from './open-features.chunk.ts';
import { openBlobs } from './parts.ts';
import { lateFeatures } from './webhook.ts';

export const openRequests = (config: Config = readConfig(process.env)) => {
  const { logger, clock, client, tables } = openExecutions(config);
  const options = { retentionDays: config.requestRetentionDays, clock };
  return { logger, clock, requests: createRequestStore(client, tables, options) };
};

export const openSendAgain = (installed: InstalledPlugins, config: Config = readConfig(process.env)) => {
  const { requests } = openRequests(config);
  const parts = openRetry(installed, config);
  return { ...parts, requests, settings: toSettings(config), ...openJudging({ ...parts, config }) };
};

/** The parts of a single retry, whose input may be edited. */
export const openEditedRetry = (installed: InstalledPlugins, config: Config = readConfig(process.env)) => {
  const parts = openRetry(installed, config);
  const { openFeatures } = openJudging({ ...parts, config });
  return {
    ...parts,
    windowMs: config.deduplicationWindowMs,
    blobs: openBlobs(config),
    checkInput: createCheckEditedInput({ ...parts, openFeatures }),
    settings: toSettings(config),
  };
};

const toSettings = ({ maxBodyBytes, maxBodyDepth }: Config) => ({ maxBodyBytes, maxBodyDepth });

interface JudgingParts extends Pick<FeatureParts, 'client' | 'tables' | 'executions' | 'logger'> {
  readonly config: Config;
}

/** Parses and judges a request that an operator vouches for: nothing is verified, so no credential is provided. */
const openJudging = ({
  config,
  ...parts
}: JudgingParts): Pick<SendAgainParts, 'openFeatures' | 'parsersOf'> => ({
  openFeatures: lateFeatures({
    ...parts,
    config,
    clock: systemClock,
    http: lateHttpClient(config.outboundAllow),
    credentials: { open: () => Promise.reject(new Error('requests that are sent again are not verified')) },
    events: createLogEvents(parts.logger, { countsInline: true }),
    usesOutbox: false,
  }),
  parsersOf: createBodyParsers(config.maxBodyDepth),
});
