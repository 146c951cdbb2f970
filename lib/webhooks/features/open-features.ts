import type { JsonValue } from '@hookloom/plugin-kit';
import type { Answer } from '../../shared/answer.ts';
import { WEBHOOK_MISCONFIGURED } from '../../shared/error-catalogue.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import type { PathConfig, WebhookFeatures } from '../../workflows/definition/path-config.ts';
import {
  type FeaturePorts,
  type OpenFeatures,
  type OpenStages,
  type Stages,
  type WebhookFeature,
  withoutFeatures,
} from '../webhook-feature.ts';
import { features } from './features.ts';

/** Creates the function that opens the features of a webhook. An unreadable rule refuses every request. */
export const createOpenFeatures = (ports: FeaturePorts): OpenFeatures => {
  const opened = new WeakMap<PathConfig, Promise<OpenStages>>();
  return ({ config }) => {
    const known = opened.get(config);
    if (known !== undefined) return known;
    const opening = openStages(config.features ?? {}, ports);
    opened.set(config, opening);
    opening.catch(() => opened.delete(config)); // the next request tries again
    return opening;
  };
};

const openStages = async (rules: WebhookFeatures, ports: FeaturePorts): Promise<OpenStages> => {
  const unknown = Object.keys(rules).find((name) => !features.some((feature) => feature.name === name));
  if (unknown !== undefined) throw webhookMisconfigured(new Error(`unknown feature "${unknown}"`));
  const stages: Stages[] = [];
  for (const feature of features) {
    const rule = rules[feature.name];
    if (rule !== undefined) stages.push(await openFeature(feature, rule, ports));
  }
  return {
    secretHeaders: stages.flatMap(({ secretHeaders = [] }) => secretHeaders),
    maxBodyBytes: Math.min(...stages.map(({ maxBodyBytes = Number.POSITIVE_INFINITY }) => maxBodyBytes)),
    admit: firstAnswer(stages.map(({ admit }) => admit)),
    verify: firstAnswer(stages.map(({ verify }) => verify)),
    checkJson: (text, value) => {
      for (const { checkJson } of stages) checkJson?.(text, value);
    },
    parse: firstAnswer(stages.map(({ parse }) => parse)),
    judge: firstAnswer(stages.map(({ judge }) => judge)),
    waiting: Object.assign({}, withoutFeatures.waiting, ...stages.map(({ waiting }) => waiting)),
    acknowledge: firstAnswer(stages.map(({ acknowledge }) => acknowledge)),
    present: firstAnswer(stages.map(({ present }) => present)),
    start: async (starting) => {
      let { held } = starting;
      for (const { start } of stages) held = (await start?.({ ...starting, held })) ?? held;
      return held;
    },
  };
};

const openFeature = async (
  feature: WebhookFeature,
  rule: JsonValue,
  ports: FeaturePorts,
): Promise<Stages> => {
  try {
    return await feature.stages(rule, ports);
  } catch (error) {
    throw isAppError(error) ? error : webhookMisconfigured(error);
  }
};

const webhookMisconfigured = (cause: unknown): AppError => new AppError(WEBHOOK_MISCONFIGURED, {}, cause);

/** Runs the stages in sequence until one has a result. */
const firstAnswer =
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
