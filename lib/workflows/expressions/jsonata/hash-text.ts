import { createHash } from 'node:crypto';

/** The hash of a text in UTF-8. The only part of `node:crypto` that the pure folders use: it draws no random numbers. */
export const hashText = (algorithm: string, text: string): Buffer =>
  createHash(algorithm).update(text).digest();
