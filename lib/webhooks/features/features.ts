import { Type } from '@hookloom/plugin-kit';
import { refuseBigNumbers } from '../../shared/refuse-big-numbers.ts';
import { problemsWhere } from '../../workflows/definition/problem.ts';
import { defineFeature } from '../webhook-feature.ts';
import { allowFrom } from './allow-from.ts';
import { answer } from './answers/answer.ts';
import { lastNodeAnswer } from './answers/last-node-answer.ts';
import { continueAfterResponse, onTimeout, timeoutSeconds } from './answers/waiting.ts';
import { body } from './body/body.ts';
import { cors } from './cors.ts';
import { form } from './form.ts';
import { concurrency } from './guards/concurrency.ts';
import { maxBodyBytes } from './guards/max-body-bytes.ts';
import { onlyIf } from './guards/only-if.ts';
import { rateLimit } from './guards/rate-limit.ts';
import { schema } from './guards/schema.ts';
import { handshake } from './handshake/handshake.ts';
import { paused } from './paused.ts';
import { signature } from './signature/signature.ts';
import { upload } from './upload/upload.ts';

/** Whether a known key with another body is a mistake of the sender, or the same business again: see `runWebhook`. */
const onKeyReuse = defineFeature({
  name: 'onKeyReuse',
  schema: Type.Enum(['refuse', 'duplicate'], {
    description:
      'What a request with a known key but a different body gets: 422 (refuse, the default), or the response to the earlier request, for business keys such as an e-mail address',
    examples: ['duplicate'],
  }),
  check: (_value, { parameters: { deduplication } }) =>
    problemsWhere([(deduplication ?? '') === '', '', 'needs deduplication: the expression for the key']),
});

/** What becomes of integers in JSON bodies that a number can't hold: see `parseJson` of the kit. */
const bigNumbers = defineFeature({
  name: 'bigNumbers',
  schema: Type.Enum(['string', 'refuse'], {
    description:
      'What an integer beyond ±(2^53 − 1) in a JSON body becomes, which a number would round: its digits as a string (the default), or a 400 that says where it is',
    examples: ['refuse'],
  }),
  stages: (bigNumbers) => (bigNumbers === 'refuse' ? { checkJson: refuseBigNumbers } : {}),
});

const recordRequests = defineFeature({
  name: 'recordRequests',
  schema: Type.Boolean({
    description: 'Record every request, large ones in full; by default only refused requests are recorded',
    examples: [true],
  }),
});

/** All features of webhooks, in processing order. */
export const features = [
  cors,
  body,
  bigNumbers,
  paused,
  allowFrom,
  signature,
  handshake,
  answer,
  lastNodeAnswer,
  timeoutSeconds,
  onTimeout,
  continueAfterResponse,
  maxBodyBytes,
  rateLimit, // after verification: a forged request must not take a token from the caller that it impersonates
  form, // before the schema, whose refusals are not HTML pages
  schema,
  onlyIf,
  onKeyReuse,
  concurrency,
  recordRequests,
  upload, // after everything that may refuse to start: an upload that is kept must have an execution
] as const;

export type FeatureName = (typeof features)[number]['name'];
