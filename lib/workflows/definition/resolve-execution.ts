import type { FindNodeType } from '../../contract/node-type.ts';
import type { BackgroundMode, WorkflowDefinition } from './definition.ts';

/**
 * How runs of a workflow that nobody waits for are done: as it says, else durably when one of its nodes touches the
 * outside, waits or runs others, and as express runs when all of them are pure.
 */
export const resolveExecution = (
  { settings, nodes }: Pick<WorkflowDefinition, 'settings' | 'nodes'>,
  findNodeType: FindNodeType,
): BackgroundMode => {
  if (settings?.execution !== undefined) return settings.execution;
  const isPure = nodes.every(({ type, disabled }) => disabled === true || findNodeType(type)?.pure === true);
  return isPure ? 'express' : 'durable';
};
