import type { FindNodeType } from '../../contract/node-type.ts';
import type { BackgroundMode, WorkflowDefinition } from './definition.ts';

/** The mode of background runs: by the settings, else `express` when all enabled nodes are pure, else `durable`. */
export const resolveExecution = (
  { settings, nodes }: Pick<WorkflowDefinition, 'settings' | 'nodes'>,
  findNodeType: FindNodeType,
): BackgroundMode => {
  if (settings?.execution !== undefined) return settings.execution;
  const isPure = nodes.every(({ type, disabled }) => disabled === true || findNodeType(type)?.pure === true);
  return isPure ? 'express' : 'durable';
};
