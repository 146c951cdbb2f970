import type { ExecutionEnd } from '../../../executions/record/execution-store.ts';
import { flag, type Item, json, number, optional, packed, text } from '../attributes.ts';
import { timeShardOf, toIso, toLease, toSweep } from './execution-item.ts';
import { type Change, IS_OPEN } from './execution-update.ts';
import { fitNodes } from './fit-nodes.ts';

/** Lease of a finished execution in the outbox: after it, the sweeper publishes the end. */
export const OUTBOX_LEASE_MS = 60_000;

/** Attributes of a finished record; undefined ones it does not have. */
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

/** When the end of a run is published that was never in the index of sweeps: an inline run gets into it with its end. */
export const toOutboxSweep = (executionId: string, { isInOutbox, endedAt }: ExecutionEnd): Item =>
  isInOutbox ? toSweep(executionId, 'active', endedAt + OUTBOX_LEASE_MS) : {};

/** Expiry of a record, and what it is computed from. */
export type Expiry = Required<Pick<Change, 'compute' | 'values'>>;

/** Ends a record. One that ended badly gets into the index of failures, and into another partition of that by time. */
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
      // Those that an earlier release has started have none.
      timeShard: isBad ? ':timeShard' : 'if_not_exists(#timeShard, :timeShard)',
      ...sweep.compute,
    },
    values: { ...values, ':timeShard': timeShardOf(executionId, isBad), ...sweep.values },
    remove: [...(end.isInOutbox ? [] : SWEPT_ATTRIBUTES), ...(end.leavesQueue === true ? ['held'] : [])],
  };
};

/** Sets attributes that a record does not have. */
export const unlessSwept = (attributes: Item): Expiry => {
  const entries = Object.entries(attributes);
  return {
    compute: Object.fromEntries(entries.map(([name]) => [name, `if_not_exists(#${name}, :${name})`])),
    values: Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
  };
};

/** Takes a record out of the index of sweeps. */
export const SWEPT_ATTRIBUTES = ['sweepShard', 'sweepAt', 'leaseExpiresAt'];
