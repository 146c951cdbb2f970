import type { NodeRecord } from '../../engine/result.ts';

/** Half of a DynamoDB item (400 KB); the rest of a record is small. */
const MAX_BYTES = 200_000;

interface Fitted {
  readonly kept: readonly NodeRecord[];
  readonly omitted: number;
}

/**
 * Keeps as many node records as fit in an item, in their order. When not all fit, the data of nodes that did not fail is
 * dropped first; then records are kept by priority: failed nodes, which operators look for, before the earliest.
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
  const byPriority = [...nodes.keys()].sort((a, b) => rank(nodes[a]) - rank(nodes[b]) || a - b);
  const kept = new Set<number>();
  let bytes = 2;
  for (const index of byPriority) {
    bytes += sizes[index] ?? 0;
    if (bytes > maxBytes) break;
    kept.add(index);
  }
  return { kept: nodes.filter((_, index) => kept.has(index)), omitted: nodes.length - kept.size };
};

const rank = (node: NodeRecord | undefined): number => (node?.status === 'failed' ? 0 : 1);
