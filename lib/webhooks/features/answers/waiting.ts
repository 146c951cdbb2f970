import type { WebhookFeature } from '../../webhook-feature.ts';

/** Limits how long the caller waits for the result. */
export const timeoutSeconds: WebhookFeature = (rule) => ({ waiting: { limitMs: Number(rule) * 1_000 } });

/** `continue`: the caller gets 202 when the time is up, and the run goes on. */
export const onTimeout: WebhookFeature = (rule) =>
  rule === 'continue' ? { waiting: { isInBackground: true } } : {};

/** The run goes on after its response, which it stores as soon as a node emits it. */
export const continueAfterResponse: WebhookFeature = () => ({ waiting: { isInBackground: true } });
