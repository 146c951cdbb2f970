import { Type } from '@hookloom/plugin-kit';
import { defineFeature } from '../../webhook-feature.ts';

/** Limits how long the caller waits for the result. The gateway itself gives up after 30 seconds. */
export const timeoutSeconds = defineFeature({
  name: 'timeoutSeconds',
  schema: Type.Integer({
    minimum: 1,
    maximum: 25,
    description: 'How long the caller waits for the result, with lastNode and responseNode',
    examples: [10],
  }),
  stages: (seconds) => ({ waiting: { limitMs: seconds * 1_000 } }),
});

/** The feature `onTimeout`. With `continue`, when the time is up, the caller gets a 202 and the run continues. */
export const onTimeout = defineFeature({
  name: 'onTimeout',
  schema: Type.Enum(['fail', 'continue'], {
    description:
      'What happens when the result is not there in time: the run ends and the caller gets 504, or the caller gets 202 with the execution id and the run continues in the background',
    examples: ['continue'],
  }),
  stages: (then) => (then === 'continue' ? { waiting: { isInBackground: true } } : {}),
});

/** The feature that continues a run after its response, which is stored as soon as a node emits it. */
export const continueAfterResponse = defineFeature({
  name: 'continueAfterResponse',
  schema: Type.Boolean({
    description:
      'Answer as soon as a respondToWebhook node has run; the rest continues in the background. The default in format 2 if it has side effects or waits',
    examples: [true],
  }),
  stages: () => ({ waiting: { isInBackground: true } }),
});
