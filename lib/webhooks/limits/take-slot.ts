import type { Clock } from '../../contract/services.ts';
import { isFinal } from '../../executions/record/execution-status.ts';
import type { ExecutionStore } from '../../executions/record/execution-store.ts';
import { createCache } from '../../shared/cache.ts';
import type { Slot, SlotStore } from './slots.ts';

interface TakeSlotParts {
  /** How long it is believed that an execution goes on, in milliseconds. */
  readonly knownMs: number;
  readonly slots: SlotStore;
  readonly executions: Pick<ExecutionStore, 'find'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface SlotRequest {
  readonly workflowId: string;
  readonly executionId: string;
  /** Executions of the workflow at once. */
  readonly max: number;
  /** Whether the execution is one that needs no slot any more: asked when none is free. */
  readonly isKnown?: (() => Promise<boolean>) | undefined;
  /** Ends the executions of these slots, which are then free; false when they go on. */
  readonly end?: (oldest: readonly Slot[]) => Promise<boolean>;
}

/**
 * Takes a place among the concurrent executions of a workflow. Slots are not given back: one is free when the record of its
 * execution is final, which is found out when all are taken. So no end of a run, and no crash, can leak one.
 *
 * @returns true when the execution has a slot, now or before, or is known; false when all are taken
 * @throws AppError `STORE_UNAVAILABLE`
 */
type TakeSlot = (request: SlotRequest) => Promise<boolean>;

/** How long an execution may have a slot without a record, held, or run inline: longer than the function's own time. */
const GRACE_MS = 60_000;
/** Others take the slots that are found free. */
const MAX_TRIES = 5;
const MAX_KNOWN = 1_000;

export const createTakeSlot = (parts: TakeSlotParts): TakeSlot => {
  const { slots, clock } = parts;
  const isOver = createIsOver(parts);

  return async ({ workflowId, executionId, max, isKnown, end }) => {
    const slot = { executionId, takenAt: clock.now() };
    let ended: readonly Slot[] = [];
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const held = await slots.take({ workflowId, slot, max, ended });
      if (held === null || held.some((other) => other.executionId === executionId)) return true;
      if ((await isKnown?.()) === true) return true;
      const over = await Promise.all(held.map(isOver));
      const open = held.filter((_, index) => !over[index]);
      const surplus = Math.max(0, open.length - max + 1); // more than one where the limit was lowered
      const oldest = [...open].sort((a, b) => a.takenAt - b.takenAt).slice(0, surplus);
      if (surplus > 0 && (await end?.(oldest)) !== true) return false;
      ended = [...held.filter((_, index) => over[index]), ...oldest];
    }
    return false;
  };
};

/** Whether the execution of a slot has ended, or does not go on. */
const createIsOver = ({ clock, executions, knownMs }: TakeSlotParts): ((slot: Slot) => Promise<boolean>) => {
  const lookUp = createCache<boolean>({ ttlMs: knownMs, maxEntries: MAX_KNOWN, clock });
  return ({ executionId, takenAt }) =>
    lookUp(executionId, async () => {
      const record = await executions.find(executionId);
      if (record !== null && isFinal(record.status)) return true;
      const losesSlot = record === null || record.mode === 'inline' || record.held !== null;
      return losesSlot && clock.now() - takenAt > GRACE_MS;
    });
};
