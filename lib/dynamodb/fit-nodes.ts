import type { NodeRecord } from '../executions/execution.ts';

/** A DynamoDB item ends at 400 KB; the rest of a record is small. */
const MAX_BYTES = 300_000;

/**
 * As many node records as fit in an item: those of nodes that failed come first in line, since somebody will look
 * for them, then the earliest. The order stays.
 */
export const fitNodes = (
  nodes: readonly NodeRecord[],
  maxBytes = MAX_BYTES,
): { readonly kept: readonly NodeRecord[]; readonly omitted: number } => {
  const sizes = nodes.map((node) => Buffer.byteLength(JSON.stringify(node)) + 1);
  const inLine = [...nodes.keys()].sort((a, b) => rank(nodes[a]) - rank(nodes[b]) || a - b);
  const kept = new Set<number>();
  let bytes = 2;
  for (const index of inLine) {
    bytes += sizes[index] ?? 0;
    if (bytes > maxBytes) break;
    kept.add(index);
  }
  return { kept: nodes.filter((_, index) => kept.has(index)), omitted: nodes.length - kept.size };
};

const rank = (node: NodeRecord | undefined): number => (node?.status === 'failed' ? 0 : 1);
