import type { RunOptions } from './inner-run.ts';
import type { Steps } from './steps.ts';

/** The branches of a run: for each node with durable operations, a context of its own. */
interface Branches {
  /** Undefined for nodes without durable operations. */
  branchOf(node: number): Steps | Promise<Steps> | undefined;
  /** Ends the branches. Operations that are still running are abandoned. */
  close(): void;
}

/**
 * Opens a branch for each node that is a step or a control node, in plan order, when the run starts. The engine of
 * durable runs numbers operations by their position in a branch: so no number depends on which branch was faster.
 *
 * @param onError - called with an infrastructure error of the engine
 */
export const openBranches = (
  { plan, route, steps, within }: RunOptions,
  onError: (error: unknown) => void,
): Branches => {
  const branches = new Map<number, Steps | Promise<Steps>>();
  const closed = Promise.withResolvers<void>();
  for (const { index, node, nodeType } of plan.nodes) {
    const isReached = (route.incoming[index]?.length ?? 0) > 0 || index === route.trigger;
    if (!isReached || node.disabled === true || (nodeType.pure && nodeType.control === null)) continue;
    const opened = Promise.withResolvers<Steps>();
    branches.set(index, opened.promise);
    steps
      .within(within === '' ? node.id : `${within}/${node.id}`, (branch) => {
        branches.set(index, branch);
        opened.resolve(branch);
        return closed.promise;
      })
      .catch(onError);
  }
  return { branchOf: (node) => branches.get(node), close: closed.resolve };
};
