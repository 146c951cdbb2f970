import type { OpenFeatures } from '../webhooks/webhook-feature.ts';
import type { FeatureParts } from './open-features.chunk.ts';

/** Features of webhooks whose code is loaded for the first webhook with one. */
export const lateFeatures = (parts: FeatureParts): OpenFeatures => {
  let loaded: Promise<OpenFeatures> | undefined;
  const load = async (): Promise<OpenFeatures> => {
    const { openFeaturesWith } = await import('./open-features.chunk.ts');
    return openFeaturesWith(parts);
  };
  return async (webhook) => {
    loaded ??= load();
    return (await loaded)(webhook);
  };
};
