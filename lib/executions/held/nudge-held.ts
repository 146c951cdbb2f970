import type { WorkflowDefinition } from '../../workflows/definition/definition.ts';
import { toPathConfigs } from '../../workflows/definition/to-path-configs.ts';
import type { Ports } from '../ports.ts';

/**
 * Asks the service to release the held executions of triggers that are no longer paused, without waiting for its schedule.
 *
 * @returns the triggers that have any
 * @throws AppError `STORE_UNAVAILABLE` | `DISPATCH_REFUSED`; the schedule releases them anyway
 */
export const nudgeHeld = async (
  definition: WorkflowDefinition,
  { queues, nudgeQueue }: Pick<Ports, 'queues' | 'nudgeQueue'>,
): Promise<readonly string[]> => {
  const open = definition.enabled
    ? toPathConfigs(definition).filter(({ features }) => features?.paused === undefined)
    : [];
  const nudged: string[] = [];
  for (const triggerNodeId of new Set(open.map((config) => config.triggerNodeId))) {
    const queue = { workflowId: definition.id, triggerNodeId };
    for await (const _first of queues.find(queue)) {
      await nudgeQueue(queue);
      nudged.push(triggerNodeId);
      break;
    }
  }
  return nudged;
};
