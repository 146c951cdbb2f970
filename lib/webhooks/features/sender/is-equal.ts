import { timingSafeEqual } from 'node:crypto';

/** Compares strings in constant time, except for their lengths. */
export const isEqual = (given: string, expected: string): boolean => {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
};
