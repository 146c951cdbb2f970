import type { NodeContext, RunControl } from '../contract/node.ts';

/** The context's `control`. @throws Error in the context of a node without `control` */
export const controlOf = ({ control }: Pick<NodeContext, 'control'>): RunControl => {
  if (control === null) throw new Error('this node steers a run, and got nothing to steer with');
  return control;
};
