import type { WebhookFeatures } from '../definition/path-config.ts';
import { allowFrom } from './allow-from.ts';
import { answer } from './answer.ts';
import { body } from './body.ts';
import { concurrency } from './concurrency.ts';
import { cors } from './cors.ts';
import { form } from './form.ts';
import { handshake } from './handshake.ts';
import { maxBodyBytes } from './max-body-bytes.ts';
import { onKeyReuse } from './on-key-reuse.ts';
import { onlyIf } from './only-if.ts';
import { paused } from './paused.ts';
import { rateLimit } from './rate-limit.ts';
import { recordRequests } from './record-requests.ts';
import { schema } from './schema.ts';
import { signature } from './signature.ts';
import { upload } from './upload.ts';
import { continueAfterResponse, lastNodeAnswer, onTimeout, timeoutSeconds } from './waiting.ts';
import type { WebhookRule } from './webhook-rule.ts';

/** By the name of the parameter. */
export const webhookRules: Readonly<Record<keyof WebhookFeatures, WebhookRule>> = {
  cors,
  body,
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
  form,
  rateLimit,
  schema,
  onlyIf,
  onKeyReuse,
  concurrency,
  recordRequests,
  upload,
};
