import { lazy } from '@hookloom/plugin-kit';
import type { OpenFeatures } from '../webhooks/webhook-feature.ts';
import type { FeatureParts } from './open-features.chunk.ts';

/** Webhook features, loaded for the first webhook that has one. */
export const lateFeatures = (parts: FeatureParts): OpenFeatures => {
  const load = lazy(async () => (await import('./open-features.chunk.ts')).openFeaturesWith(parts));
  return async (webhook) => (await load())(webhook);
};
