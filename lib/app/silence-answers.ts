import * as v from 'valibot';
import { described, instant } from './answers.ts';

export const silence = v.object({
  triggerNodeId: described(v.nullable(v.string()), 'Null if it is the whole workflow'),
  rule: v.string(),
  since: instant,
  message: v.string(),
});

export const workflowSilences = v.optional(
  described(v.array(silence), 'What should have started it and has not; absent for nothing'),
);
