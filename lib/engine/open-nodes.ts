import type { NodeFailure, NodeRecord } from './result.ts';

export const isOpen = ({ status }: NodeRecord): boolean => status === 'running' || status === 'waiting';

/** Finds the node that an execution has reached: the last open one. */
export const findOpenNode = (nodes: readonly NodeRecord[]): NodeRecord | undefined => nodes.findLast(isOpen);

/** Fails the open nodes of an execution that ends early, for the same reason. */
export const failOpenNodes = (
  nodes: readonly NodeRecord[],
  endedAt: number,
  { name, message }: Pick<NodeFailure, 'name' | 'message'>,
): readonly NodeRecord[] =>
  nodes.map((node) => {
    if (!isOpen(node)) return node;
    const { nodeId, startedAt } = node;
    const durationMs = Math.max(0, endedAt - startedAt);
    return { ...node, status: 'failed', durationMs, failure: { nodeId, name, message } };
  });
