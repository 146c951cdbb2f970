import type { Clock } from '@hookloom/plugin-kit';

/** What is fair to the other plugins and requests, which wait meanwhile. */
const MAX_BLOCKING_MS = 500;

/**
 * Calls a function of a plugin, and notes when it keeps the thread before it returns: nothing else runs meanwhile, and
 * nothing can interrupt it.
 *
 * @param what - subject of the warning, such as `its init`
 * @param warnings - where the warning is added
 */
export const noteBlocking = <Value>(
  clock: Clock,
  what: string,
  warnings: string[],
  call: () => Value,
): Value => {
  const startedAt = clock.now();
  const result = call();
  const blockedMs = clock.now() - startedAt;
  if (blockedMs > MAX_BLOCKING_MS) warnings.push(`${what} blocked the thread for ${blockedMs} ms`);
  return result;
};
