import { findSignatureProblems } from './signature/find-problems.ts';
import { type SignatureRule, signatureSchema } from './signature/schema.ts';
import { SENDER_CREDENTIAL_TYPES } from './signature/sender-credential-types.ts';
import { defineRule } from './webhook-rule.ts';

/** The signature of a sender. */
export const signature = defineRule(signatureSchema, {
  credentialTypes: SENDER_CREDENTIAL_TYPES,
  findProblems: (value) => findSignatureProblems(value as SignatureRule),
});
