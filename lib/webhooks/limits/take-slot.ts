import { createHash } from 'node:crypto';
import type { Clock } from '@hookloom/plugin-kit';
import { type ExecutionStore, isFinal } from '../../executions/record/execution-store.ts';
import { createCache, LruMap } from '../../shared/cache.ts';
import { GROUP_SIZE, MAX_GROUPS, type Slot, type SlotStore } from './slots.ts';

interface TakeSlotParts {
  /** How long an execution is assumed to be still running, in milliseconds. */
  readonly knownMs: number;
  readonly slots: SlotStore;
  readonly executions: Pick<ExecutionStore, 'find'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface SlotRequest {
  readonly workflowId: string;
  readonly executionId: string;
  /** How many executions of the workflow may run at once. */
  readonly max: number;
  /** An execution that has ended, whose slot is reused first. */
  readonly ended?: string | undefined;
  /** Whether the execution no longer needs a slot: called if none is free. */
  readonly isKnown?: (() => Promise<boolean>) | undefined;
  /** Ends the executions of these slots, which frees them; false if they continue. */
  readonly end?: (oldest: readonly Slot[]) => Promise<boolean>;
}

/**
 * Takes a slot among a workflow's concurrent executions. Slots are not returned: a slot is free once its execution's
 * record is final, which is checked when the group is full. So neither the end of a run nor a crash can leak a slot.
 *
 * @returns true if the execution has a slot, new or from before, or is known; false if all are taken
 * @throws AppError `STORE_UNAVAILABLE`
 */
type TakeSlot = (request: SlotRequest) => Promise<boolean>;

/** How long an execution without a record, held, or inline may keep a slot: longer than the function's timeout. */
const GRACE_MS = 60_000;
/** How often a free slot is sought: other processes may take those that were found free. */
const MAX_TRIES = 5;
const MAX_KNOWN = 1_000;
/** How long all groups are assumed to be within their shares. */
const FITTING_MS = 600_000;

type IsFree = (slot: Slot) => Promise<boolean>;

export const createTakeSlot = (parts: TakeSlotParts): TakeSlot => {
  const { slots, clock } = parts;
  const isOver = createIsOver(parts);
  /** When all groups of a workflow were last seen within their shares of a limit. */
  const fitAt = new LruMap<string, number>(MAX_KNOWN);

  return async ({ workflowId, executionId, max, ended: left, isKnown, end }) => {
    const now = clock.now();
    const slot = { executionId, takenAt: now };
    const shares = sharesOf(max, Math.ceil(max / GROUP_SIZE));
    const own = hashOf(left ?? executionId) % shares.length;
    const limit = `${workflowId}/${max}`;
    const fits = now - (fitAt.get(limit) ?? Number.NEGATIVE_INFINITY) < FITTING_MS;
    const given = left === undefined ? [] : [{ executionId: left, takenAt: now }];
    const inOwn = { workflowId, slot, group: own, max: shares[own] ?? 0, ended: given };
    if (fits && (await slots.take(inOwn))) return true;
    const ended = new Set(given.map((one) => one.executionId));
    const isFree: IsFree = async (other) => ended.has(other.executionId) || isOver(other);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const groups = await slots.list(workflowId, fits ? shares.length : MAX_GROUPS);
      const held = groups.flat();
      if (held.some((other) => other.executionId === executionId)) return true;
      const { rooms, allFit } = await findRooms(groups, shares, isFree);
      if (allFit) fitAt.set(limit, now);
      const room = await findPlace([...rooms.slice(own), ...rooms.slice(0, own)], isFree);
      if (room !== null) {
        if (await slots.take({ workflowId, slot, ...room })) return true;
        continue;
      }
      if ((await isKnown?.()) === true) return true;
      if (end === undefined) return false;
      const open = (await removeFree(held, isFree)).sort((a, b) => a.takenAt - b.takenAt);
      const oldest = open.slice(0, Math.max(1, open.length - max + 1)); // several if the limit was lowered
      if (!(await end(oldest))) return false;
      for (const other of oldest) ended.add(other.executionId);
    }
    return false;
  };
};

const hashOf = (id: string): number => createHash('sha256').update(id).digest()[0] ?? 0;

/** How many slots each group has, evenly divided. */
const sharesOf = (max: number, groups: number): readonly number[] =>
  Array.from({ length: groups }, (_, group) => Math.floor((max + groups - 1 - group) / groups));

/** A group that slots may be taken from, and how many it may have. */
interface Room {
  readonly group: number;
  readonly max: number;
  readonly held: readonly Slot[];
}

/**
 * The groups to take slots from. While one exceeds its share, because the limit was lowered or an earlier release
 * filled it, slots are taken from a single group, as many as the others leave.
 */
const findRooms = async (
  groups: readonly (readonly Slot[])[],
  shares: readonly number[],
  isFree: IsFree,
): Promise<{ readonly rooms: readonly Room[]; readonly allFit: boolean }> => {
  const shareOf = (group: number): number => shares[group] ?? 0;
  const rooms = shares.map((max, group) => ({ group, max, held: groups[group] ?? [] }));
  if (groups.every((held, group) => held.length <= shareOf(group))) return { rooms, allFit: true };
  const open = (await Promise.all(groups.map((held) => removeFree(held, isFree)))).map(
    ({ length }) => length,
  );
  if (open.every((count, group) => count <= shareOf(group))) return { rooms, allFit: true };
  const left = sumCounts(shares) - sumCounts(open);
  const room = rooms.find(({ group, max }) => (open[group] ?? 0) < max);
  if (room === undefined) return { rooms: [], allFit: false };
  const max = Math.min(room.max, (open[room.group] ?? 0) + left);
  return { rooms: [{ ...room, max }], allFit: false };
};

const sumCounts = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

/** The first group with a free slot, with the slots to release for it. */
const findPlace = async (rooms: readonly Room[], isFree: IsFree) => {
  for (const { group, max, held } of rooms) {
    if (held.length < max) return { group, max, ended: [] };
    const open = new Set(await removeFree(held, isFree));
    if (open.size < max) return { group, max, ended: held.filter((slot) => !open.has(slot)) };
  }
  return null;
};

const removeFree = async (held: readonly Slot[], isFree: IsFree): Promise<Slot[]> => {
  const free = await Promise.all(held.map(isFree));
  return held.filter((_, at) => !free[at]);
};

/** Whether the execution of a slot has ended or will not continue. */
const createIsOver = ({ clock, executions, knownMs }: TakeSlotParts): IsFree => {
  const lookUp = createCache<boolean>({ ttlMs: knownMs, maxEntries: MAX_KNOWN, clock });
  return ({ executionId, takenAt }) =>
    lookUp(executionId, async () => {
      const record = await executions.find(executionId);
      if (record !== null && isFinal(record.status)) return true;
      const losesSlot = record === null || record.mode === 'inline' || record.held !== null;
      return losesSlot && clock.now() - takenAt > GRACE_MS;
    });
};
