import { type FindNodeType, isPure } from '@hookloom/plugin-kit/host';
import type { BackgroundMode, WorkflowDefinition } from './definition.ts';

/**
 * The mode of background runs: as the settings say, or else `express` if all enabled nodes are pure, or else `durable`.
 */
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
