import type { NodeFailure, NodeRecord } from './result.ts';

/** The node that an execution is at: the last one that has not ended. */
export const findOpenNode = (nodes: readonly NodeRecord[]): NodeRecord | undefined => nodes.findLast(isOpen);

export const isOpen = ({ status }: NodeRecord): boolean => status === 'running' || status === 'waiting';

/** The account of an execution that ends before its time: what was open has failed, for the reason that ended it. */
export const closeNodes = (
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
