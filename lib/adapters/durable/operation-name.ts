import { createHash } from 'node:crypto';

/** The engine takes no longer name than this. */
export const MAX_NAME_LENGTH = 256;

/** The name of a step as the engine takes it: what is too long ends in a hash of the whole. */
export const toOperationName = (name: string): string => {
  if (name.length <= MAX_NAME_LENGTH) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 32);
  return `${name.slice(0, MAX_NAME_LENGTH - hash.length - 1)}~${hash}`;
};
