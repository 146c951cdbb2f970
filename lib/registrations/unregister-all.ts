import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { workThrough } from '../shared/work-through.ts';
import { type UnregisterParts, unregister } from './registrar.ts';
import type { StoredRegistration } from './registration-store.ts';

interface UnregisterAllParts extends UnregisterParts {
  readonly loadNodeTypes: (nodeTypes?: readonly string[]) => Promise<FindNodeType>;
}

/** Side by side: an account may make some ten such calls a second at Lambda. */
const CONCURRENCY = 5;

/**
 * Takes back all that is registered, of every workflow, and leaves the workflows as they are: a sweep would register it
 * again. One that can't be taken back does not stop the others. Passes follow each other until nothing is left, so that
 * what is registered meanwhile is found as well, or until one takes back nothing.
 *
 * @param signal - no further one is begun once it is aborted
 * @throws Error with the number of those that are left, and the reason of one
 * @throws AppError `STORE_UNAVAILABLE` when the list can't be read
 */
export const unregisterAll = async (parts: UnregisterAllParts, signal: AbortSignal): Promise<void> => {
  const findNodeType = await parts.loadNodeTypes();
  for (;;) {
    const all = await parts.registrations.list();
    const failures = await unregisterEach(all, findNodeType, parts, signal);
    signal.throwIfAborted();
    if (all.length === 0) return;
    if (failures.length < all.length) continue;
    const [cause] = failures;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Triggers that are still registered: ${all.length}. ${reason}`, { cause });
  }
};

/** @returns what failed */
const unregisterEach = async (
  all: readonly StoredRegistration[],
  findNodeType: FindNodeType,
  parts: UnregisterParts,
  signal: AbortSignal,
): Promise<readonly unknown[]> => {
  const failures: unknown[] = [];
  const options = { atOnce: CONCURRENCY, mayGoOn: () => !signal.aborted };
  await workThrough(all, options, async (stored) => {
    try {
      await unregister(stored, findNodeType, parts);
    } catch (cause) {
      failures.push(cause);
      const { workflowId, triggerNodeId, name: registration } = stored;
      parts.logger.warn('The trigger could not be unregistered.', {
        workflowId,
        triggerNodeId,
        registration,
        cause,
      });
    }
  });
  return failures;
};
