import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { workThrough } from '../shared/work-through.ts';
import { type UnregisterParts, unregister } from './registrar.ts';
import type { StoredRegistration } from './registration-store.ts';

interface UnregisterAllParts extends UnregisterParts {
  readonly loadNodeTypes: (nodeTypes?: readonly string[]) => Promise<FindNodeType>;
}

/** Concurrent calls: Lambda allows an account some ten such calls per second. */
const CONCURRENCY = 5;

/**
 * Removes the registrations of all workflows but keeps the workflows: a sweep would register them again. A registration
 * that can't be removed does not stop the others. Repeats until none is left, to catch registrations added in the
 * meantime, or until a pass removes nothing.
 *
 * @param signal - no further removal starts once it is aborted
 * @throws Error with the number of remaining registrations and the reason for one
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
    throw new Error(`Triggers still registered: ${all.length}. ${reason}`, { cause });
  }
};

/** Unregisters each trigger. @returns the errors */
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
