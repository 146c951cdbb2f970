import type { RunControl } from '../contract/node.ts';
import type { Clock } from '../contract/services.ts';

/**
 * A control of a run without an engine: a wait takes no time, a callback is not answered in time, a body delivers its
 * item, and a workflow its input.
 *
 * @param changes - operations in place of these
 */
export const createFakeControl = (clock: Clock, changes: Partial<RunControl>): RunControl => ({
  wait: (seconds) => clock.sleep(seconds * 1_000),
  openCallback: async (timeoutSeconds) => {
    const expiresAt = clock.now() + timeoutSeconds * 1_000;
    return { url: 'https://callback.example/1', expiresAt, answer: async () => null };
  },
  runBodies: async (items) => items.map((output) => ({ output })),
  runWorkflow: async (_workflowId, input) => ({ output: input }),
  ...changes,
});
