import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { NodeRecord } from '../../../engine/result.ts';
import type { ExecutionEnd } from '../../../executions/record/execution-store.ts';
import { flag, type Item, json, longText, number, optional, packed, text } from '../attributes.ts';
import { timeShardOf, toIso, toLease, toSweep } from './execution-item.ts';
import { type Change, IS_OPEN } from './execution-update.ts';

/** Lease of a finished execution in the outbox: after it, the sweeper publishes the end. */
export const OUTBOX_LEASE_MS = 60_000;

/** The attributes of a finished record; it does not have undefined ones. */
export const toEndAttributes = ({
  status,
  endedAt,
  nodes,
  nodesOmitted = 0,
  failure,
  result,
  isInOutbox,
}: ExecutionEnd) => {
  const { stored, omitted } = fitNodes(nodes);
  return {
    status: text(status),
    endedAt: text(toIso(endedAt)),
    nodes: stored,
    nodesOmitted: number(nodesOmitted + omitted),
    failure: failure === null ? undefined : json(failure),
    result: optional(result, packed),
    isInOutbox: isInOutbox ? flag(true) : undefined,
    ...(isInOutbox ? toLease(endedAt + OUTBOX_LEASE_MS) : {}),
  };
};

/**
 * When to publish the end of a run that was never in the index of sweeps, such as an inline run, which enters it with
 * its end.
 */
export const toOutboxSweep = (executionId: string, { isInOutbox, endedAt }: ExecutionEnd): Item =>
  isInOutbox ? toSweep(executionId, 'active', endedAt + OUTBOX_LEASE_MS) : {};

/** The attributes with a record's expiry and what it is computed from. */
export type Expiry = Required<Pick<Change, 'compute' | 'values'>>;

/**
 * Ends a record. One that ended badly is added to the index of failures and moves to another partition of the index by
 * time.
 */
export const toEndChange = (executionId: string, end: ExecutionEnd, { compute, values }: Expiry): Change => {
  const isBad = end.status !== 'succeeded';
  const outboxSweep = toOutboxSweep(executionId, end);
  const sweep = unlessSwept(end.leavesQueue === true ? {} : outboxSweep);
  return {
    condition: IS_OPEN,
    set: { ...toEndAttributes(end), ...(end.leavesQueue === true ? outboxSweep : {}) },
    compute: {
      ...compute,
      ...(isBad ? { failedWorkflowId: '#workflowId' } : {}),
      // Records that an earlier release started have none.
      timeShard: isBad ? ':timeShard' : 'if_not_exists(#timeShard, :timeShard)',
      ...sweep.compute,
    },
    values: { ...values, ':timeShard': timeShardOf(executionId, isBad), ...sweep.values },
    remove: [...(end.isInOutbox ? [] : SWEPT_ATTRIBUTES), ...(end.leavesQueue === true ? ['held'] : [])],
  };
};

/** Sets attributes that a record does not have yet. */
export const unlessSwept = (attributes: Item): Expiry => {
  const entries = Object.entries(attributes);
  return {
    compute: Object.fromEntries(entries.map(([name]) => [name, `if_not_exists(#${name}, :${name})`])),
    values: Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
  };
};

/** The attributes whose removal takes a record out of the index of sweeps. */
export const SWEPT_ATTRIBUTES = ['sweepShard', 'sweepAt', 'leaseExpiresAt'];

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
