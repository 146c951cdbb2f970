import type { ExecutionEnd } from '../../../executions/record/execution-store.ts';
import { flag, type Item, json, number, optional, packed, text } from '../attributes.ts';
import { timeShardOf, toIso, toLease, toSweep } from './execution-item.ts';
import { type Change, IS_OPEN } from './execution-update.ts';
import { fitNodes } from './fit-nodes.ts';

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
