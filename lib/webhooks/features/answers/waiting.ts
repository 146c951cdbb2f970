import type { WebhookFeature } from '../../webhook-feature.ts';

/** Limits how long the caller waits for the result. */
export const timeoutSeconds: WebhookFeature = (rule) => ({ waiting: { limitMs: Number(rule) * 1_000 } });

/** `continue`: when the time is up, the caller gets a 202 and the run continues. */
export const onTimeout: WebhookFeature = (rule) =>
  rule === 'continue' ? { waiting: { isInBackground: true } } : {};

/** The run continues after its response, which is stored as soon as a node emits it. */
export const continueAfterResponse: WebhookFeature = () => ({ waiting: { isInBackground: true } });
