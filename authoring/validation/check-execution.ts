import { quote } from '../../lib/shared/describe.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import type { DraftGraph } from './graph/draft-graph.ts';

/** Checks that no node suspends in a workflow with express runs. */
export const checkExecution = ({ nodes }: DraftGraph, { settings }: WorkflowDefinition): Problem[] => {
  const waiting = nodes.find(
    ({ nodeType, isDisabled }) => nodeType?.control?.suspends === true && !isDisabled,
  );
  if (waiting === undefined || settings?.execution !== 'express') return [];
  return [
    {
      path: '/settings/execution',
      message: `express runs can't wait, and ${quote(waiting.node.id)} does: use durable, or leave it out`,
    },
  ];
};
