import type { Clock } from '@hookloom/plugin-kit';

/** How long is fair to the other plugins and requests, which wait in the meantime; milliseconds. */
const MAX_BLOCKING_MS = 500;

/**
 * Calls a plugin's function, and adds a warning if it blocks the thread, since nothing else can run until it returns,
 * and nothing can interrupt it.
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
