import type { NodeContext, RunControl } from '../contract/node.ts';

/** @throws {Error} in a context that was not made for a node that steers its run */
export const controlOf = ({ control }: Pick<NodeContext, 'control'>): RunControl => {
  if (control === null) throw new Error('this node steers a run, and got nothing to steer with');
  return control;
};
