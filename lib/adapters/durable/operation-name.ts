import { createHash } from 'node:crypto';

/** Lambda's limit. */
export const MAX_NAME_LENGTH = 256;

/** Shortens the name of a step to Lambda's limit: a long name ends with a hash of the whole. */
export const toOperationName = (name: string): string => {
  if (name.length <= MAX_NAME_LENGTH) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 32);
  return `${name.slice(0, MAX_NAME_LENGTH - hash.length - 1)}~${hash}`;
};
