import { createRequestStore } from '../../adapters/dynamodb/requests/request-store.ts';
import { createLogEvents } from '../../adapters/events/completion-events.ts';
import { lateHttpClient } from '../../adapters/http-client/late-http-client.ts';
import { createLogger } from '../../adapters/runtime/logger.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import { limitJson } from '../../http/limit-json.ts';
import { parseJsonBody } from '../../http/parse-json-body.ts';
import type { SendAgainParts } from '../../webhooks/requests/send-again.ts';
import { type Config, readConfig } from '../config.ts';
import { openExecutions, openRetry } from './admin.ts';
import type { FeatureParts } from './open-features.chunk.ts';
import { lateFeatures } from './webhook.ts';

// The parts for recorded requests that functions and the command line share.

export const openRequests = (config: Config = readConfig(process.env)) => {
  const { logger, clock, client, tables } = openExecutions(config);
  const options = { retentionDays: config.requestRetentionDays, clock };
  return { logger, clock, requests: createRequestStore(client, tables, options) };
};

export const openSendAgain = (config: Config = readConfig(process.env)) => {
  const { requests } = openRequests(config);
  const parts = openRetry(config);
  return { ...parts, requests, ...openJudging({ ...parts, config }) };
};

/** Opens the parts that the command line needs for requests. */
export const openCommandRequests = (
  config: Config,
  { client, tables, executions }: Pick<FeatureParts, 'client' | 'tables' | 'executions'>,
) => {
  const options = { retentionDays: config.requestRetentionDays, clock: systemClock };
  const logger = createLogger({ level: 'error' });
  return {
    requests: createRequestStore(client, tables, options),
    judging: openJudging({ config, client, tables, executions, logger }),
  };
};

interface JudgingParts extends Pick<FeatureParts, 'client' | 'tables' | 'executions' | 'logger'> {
  readonly config: Config;
}

/** Parses and judges a request that an operator vouches for: nothing is verified, so no credential is provided. */
const openJudging = ({
  config,
  ...parts
}: JudgingParts): Pick<
  SendAgainParts,
  'openFeatures' | 'parseJson' | 'limitJson' | 'parseXml' | 'maxDepth'
> => ({
  openFeatures: lateFeatures({
    ...parts,
    config,
    clock: systemClock,
    http: lateHttpClient(config.outboundAllow),
    credentials: { open: () => Promise.reject(new Error('requests that are sent again are not verified')) },
    events: createLogEvents(parts.logger, { countsInline: true }),
    usesOutbox: false,
  }),
  parseJson: (text) => parseJsonBody(text, config.maxBodyDepth),
  maxDepth: config.maxBodyDepth,
  limitJson,
  parseXml: async (text) => (await import('@hookloom/bounded-xml')).parseXml(text, new Set(), 'it'),
});
