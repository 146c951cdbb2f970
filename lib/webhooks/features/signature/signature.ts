import { defineFeature } from '../../webhook-feature.ts';
import { signatureSchema } from './signature-rule.ts';

/** Refuses requests without a valid signature of the sender. */
export const signature = defineFeature({
  name: 'signature',
  schema: signatureSchema,
  check: async (rule) => (await import('./find-problems.ts')).findSignatureProblems(rule),
  stages: async (rule, ports) => (await import('./signature-stages.ts')).verifySender(rule, ports),
});
