import { type FindNodeType, isPure } from '@hookloom/plugin-kit/host';
import type { BackgroundMode, WorkflowDefinition } from './definition.ts';

/** The mode of background runs: by the settings, else `express` when all enabled nodes are pure, else `durable`. */
export const resolveExecution = (
  { settings, nodes }: Pick<WorkflowDefinition, 'settings' | 'nodes'>,
  findNodeType: FindNodeType,
): BackgroundMode => {
  if (settings?.execution !== undefined) return settings.execution;
  const touchesNothing = nodes.every(({ type, disabled, parameters = {} }) => {
    const nodeType = findNodeType(type);
    return disabled === true || (nodeType !== null && isPure(nodeType, parameters));
  });
  return touchesNothing ? 'express' : 'durable';
};
