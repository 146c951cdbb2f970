import type { FeaturePorts, OpenFeatures } from '../webhooks/webhook-feature.ts';

/** Features of webhooks whose code is loaded for the first webhook with one. */
export const lateFeatures = (ports: FeaturePorts): OpenFeatures => {
  let loaded: Promise<OpenFeatures> | undefined;
  const load = async (): Promise<OpenFeatures> => {
    const { createOpenFeatures } = await import('./open-features.chunk.ts');
    return createOpenFeatures(ports);
  };
  return async (webhook) => {
    loaded ??= load();
    return (await loaded)(webhook);
  };
};
