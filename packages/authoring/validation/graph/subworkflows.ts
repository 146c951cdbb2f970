import type { WorkflowNode } from '@hookloom/plugin-kit';
import type { WorkflowDefinition } from '../../../../lib/workflows/definition/definition.ts';

/** The node type that runs another workflow. */
export const SUBWORKFLOW = 'subworkflow';

/** The workflows that nodes run, but for those known only at run time. */
export const listSubworkflows = ({ nodes }: Pick<WorkflowDefinition, 'nodes'>) =>
  nodes.flatMap((node, index) => {
    const workflowId = readSubworkflow(node);
    return workflowId === null ? [] : [{ path: `/nodes/${index}/parameters/workflowId`, workflowId }];
  });

/** The workflow that a node runs; null when it runs none, or one that is known only at run time. */
export const readSubworkflow = ({ type, parameters, disabled }: WorkflowNode): string | null => {
  const { workflowId } = parameters;
  if (type !== SUBWORKFLOW || disabled === true) return null;
  return typeof workflowId === 'string' && !workflowId.includes('{{') ? workflowId : null;
};
