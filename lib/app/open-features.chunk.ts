export { createOpenFeatures } from '../webhooks/features/open-features.ts';
