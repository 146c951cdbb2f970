import type { NodeRecord } from '../../engine/result.ts';

/** A DynamoDB item ends at 400 KB. The rest of a record is small, but for a third of a kilobyte per approval. */
const MAX_BYTES = 200_000;

interface Fitted {
  readonly kept: readonly NodeRecord[];
  readonly omitted: number;
}

/**
 * As many node records as fit in an item. When not all do, those that did not fail lose their data first. Then, those
 * of nodes that failed come first in line, since somebody will look for them, then the earliest. The order stays.
 */
export const fitNodes = (nodes: readonly NodeRecord[], maxBytes = MAX_BYTES): Fitted => {
  const whole = keepFitting(nodes, maxBytes);
  return whole.omitted === 0 ? whole : keepFitting(nodes.map(withoutData), maxBytes);
};

const withoutData = (node: NodeRecord): NodeRecord => {
  if (node.status === 'failed') return node;
  const { input: _input, outputs: _outputs, ...rest } = node;
  return rest;
};

const keepFitting = (nodes: readonly NodeRecord[], maxBytes: number): Fitted => {
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
