import type { JsonValue } from '@hookloom/plugin-kit';
import type { Answer } from '../../shared/answer.ts';
import { type AppError, isAppError } from '../../shared/errors.ts';
import { featureError } from '../../shared/feature-errors.ts';
import type { PathConfig, WebhookFeatures } from '../../workflows/definition/path-config.ts';
import {
  type FeaturePorts,
  type OpenFeatures,
  type OpenStages,
  type Stages,
  type WebhookFeature,
  withoutFeatures,
} from '../webhook-feature.ts';

/** Loaded for the first webhook that uses them; in processing order. */
const features: Readonly<Record<keyof WebhookFeatures, () => Promise<WebhookFeature>>> = {
  cors: async () => (await import('./cors.ts')).cors,
  body: async () => (await import('./body/body.ts')).body,
  paused: async () => (await import('./paused.ts')).paused,
  allowFrom: async () => (await import('./allow-from.ts')).allowFrom,
  signature: async () => (await import('./signature/signature.ts')).signature,
  handshake: async () => (await import('./handshake/handshake.ts')).handshake,
  answer: async () => (await import('./answers/answer.ts')).answer,
  lastNodeAnswer: async () => (await import('./answers/last-node-answer.ts')).lastNodeAnswer,
  timeoutSeconds: async () => (await import('./answers/waiting.ts')).timeoutSeconds,
  onTimeout: async () => (await import('./answers/waiting.ts')).onTimeout,
  continueAfterResponse: async () => (await import('./answers/waiting.ts')).continueAfterResponse,
  maxBodyBytes: async () => (await import('./guards/max-body-bytes.ts')).maxBodyBytes,
  // After verification: a forged request must not take a token from the caller that it impersonates.
  rateLimit: async () => (await import('./guards/rate-limit.ts')).rateLimit,
  // Before the schema, whose refusals are not HTML pages.
  form: async () => (await import('./form.ts')).form,
  schema: async () => (await import('./guards/schema.ts')).schema,
  onlyIf: async () => (await import('./guards/only-if.ts')).onlyIf,
  onKeyReuse: async () => (await import('./on-key-reuse.ts')).onKeyReuse,
  concurrency: async () => (await import('./guards/concurrency.ts')).concurrency,
  recordRequests: async () => (await import('./record-requests.ts')).recordRequests,
  // After everything that may refuse to start: an upload that is kept must have an execution.
  upload: async () => (await import('./upload/upload.ts')).upload,
};

/** Creates the function that opens the features of a webhook. An unreadable rule refuses every request. */
export const createOpenFeatures = (ports: FeaturePorts): OpenFeatures => {
  const opened = new WeakMap<PathConfig, Promise<OpenStages>>();
  return ({ config }) => {
    const known = opened.get(config);
    if (known !== undefined) return known;
    const opening = openAll(config.features ?? {}, ports);
    opened.set(config, opening);
    return opening;
  };
};

const openAll = async (rules: WebhookFeatures, ports: FeaturePorts): Promise<OpenStages> => {
  const unknown = Object.keys(rules).find((name) => !Object.hasOwn(features, name));
  if (unknown !== undefined) throw misconfigured(new Error(`unknown feature "${unknown}"`));
  const stages: Stages[] = [];
  for (const [name, load] of Object.entries(features)) {
    const rule: JsonValue | undefined = rules[name as keyof WebhookFeatures];
    if (rule !== undefined) stages.push(openOne(await load(), rule, ports));
  }
  return {
    secretHeaders: stages.flatMap(({ secretHeaders = [] }) => secretHeaders),
    maxBodyBytes: Math.min(...stages.map(({ maxBodyBytes = Number.POSITIVE_INFINITY }) => maxBodyBytes)),
    admit: first(stages.map(({ admit }) => admit)),
    verify: first(stages.map(({ verify }) => verify)),
    parse: first(stages.map(({ parse }) => parse)),
    judge: first(stages.map(({ judge }) => judge)),
    waiting: Object.assign({}, withoutFeatures.waiting, ...stages.map(({ waiting }) => waiting)),
    acknowledge: first(stages.map(({ acknowledge }) => acknowledge)),
    present: first(stages.map(({ present }) => present)),
    start: async (starting) => {
      let { held } = starting;
      for (const { start } of stages) held = (await start?.({ ...starting, held })) ?? held;
      return held;
    },
  };
};

const openOne = (feature: WebhookFeature, rule: JsonValue, ports: FeaturePorts): Stages => {
  try {
    return feature(rule, ports);
  } catch (error) {
    throw isAppError(error) ? error : misconfigured(error);
  }
};

const misconfigured = (cause: unknown): AppError => featureError('WEBHOOK_MISCONFIGURED', {}, cause);

/** Runs the stages in sequence until one has a result. */
const first =
  <Subject, Result extends object = Answer>(
    stages: readonly (((subject: Subject) => Promise<Result | null> | Result | null) | undefined)[],
  ) =>
  async (subject: Subject): Promise<Result | null> => {
    for (const stage of stages) {
      const result = (await stage?.(subject)) ?? null;
      if (result !== null) return result;
    }
    return null;
  };
