import type { NodeFailure, NodeRecord } from './result.ts';

/** The account of an execution that ends before its time: what was open has failed, for the reason that ended it. */
export const closeNodes = (
  nodes: readonly NodeRecord[],
  endedAt: number,
  { name, message }: Pick<NodeFailure, 'name' | 'message'>,
): readonly NodeRecord[] =>
  nodes.map((node) => {
    if (node.status !== 'running' && node.status !== 'waiting') return node;
    const { nodeId, startedAt } = node;
    const durationMs = Math.max(0, endedAt - startedAt);
    return { ...node, status: 'failed', durationMs, failure: { nodeId, name, message } };
  });
