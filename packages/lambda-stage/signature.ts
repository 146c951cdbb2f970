// Signatures of requests to AWS (SigV4), without what decides about them: policies and their evaluator.

export { verifySignature } from './src/stage/door/verify-signature.ts';
