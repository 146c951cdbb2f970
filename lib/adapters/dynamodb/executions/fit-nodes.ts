import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { NodeRecord } from '../../../engine/result.ts';
import { longText } from '../attributes.ts';

/** Maximum size as stored, compressed, in bytes. An item has at most 400 KB, and each kilobyte costs a write unit. */
const MAX_BYTES = 64_000;
/** Longer JSON is not even compressed to find out whether it fits. */
const MAX_CHARACTERS = 4_000_000;
/** Leaves room, because fewer records may compress a little worse. */
const MARGIN = 0.95;

interface Fitted {
  readonly stored: AttributeValue;
  readonly omitted: number;
}

/**
 * Chooses as many node records as fit in an item, in their order. If not all fit, the data of nodes that did not fail
 * is dropped first; then failed nodes, which operators look for, have priority over the earliest ones.
 */
export const fitNodes = (nodes: readonly NodeRecord[], maxBytes = MAX_BYTES): Fitted => {
  const whole = measure(nodes, maxBytes);
  if (whole.stored !== null) return { stored: whole.stored, omitted: 0 };
  const bare = nodes.map(withoutData);
  const byPriority = [...bare.keys()].sort((a, b) => rank(bare[a]) - rank(bare[b]) || a - b);
  for (let count = bare.length; ; ) {
    const kept = new Set(byPriority.slice(0, count));
    const { stored, excess } = measure(
      bare.filter((_, index) => kept.has(index)),
      maxBytes,
    );
    if (stored !== null) return { stored, omitted: bare.length - count };
    count = Math.min(count - 1, Math.ceil((count * MARGIN) / excess));
  }
};

/** @returns what to store, or null if it does not fit; and how many times the limit it takes */
const measure = (nodes: readonly NodeRecord[], maxBytes: number) => {
  const written = JSON.stringify(nodes);
  if (written.length > MAX_CHARACTERS) return { stored: null, excess: written.length / MAX_CHARACTERS };
  const stored = longText(written);
  const excess = (stored.B?.length ?? written.length) / maxBytes;
  return excess > 1 && nodes.length > 0 ? { stored: null, excess } : { stored, excess };
};

const withoutData = (node: NodeRecord): NodeRecord => {
  if (node.status === 'failed') return node;
  const { input: _input, outputs: _outputs, reads: _reads, attemptTimes: _times, ...rest } = node;
  return rest;
};

const rank = (node: NodeRecord | undefined): number => (node?.status === 'failed' ? 0 : 1);
