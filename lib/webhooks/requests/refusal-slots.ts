import { toMinute } from './request-record.ts';

/** Refused requests of one workflow that are recorded in a minute, by all processes together. */
const SLOTS_PER_MINUTE = 60;

/** Failed writes after which a process records no more refusals of this workflow and minute: others have taken the places. */
const MAX_MISSES = 4;

interface Minute {
  /** Slots that this process has taken, or found taken. */
  readonly known: Set<number>;
  misses: number;
}

/** Where refused requests may be recorded, as far as this process knows. A workflow may be any name that counts for itself. */
export interface RefusalSlots {
  /** @returns a slot that may be free, which is not given again in this minute; null for no more */
  take(workflowId: string, receivedAt: number): number | null;
  /** Reports that the slot could not be written. */
  miss(workflowId: string, receivedAt: number): void;
}

/**
 * Chooses slots so that nearly each one that is tried is free: those that this process knows are left out, and processes begin
 * at different ones. So a refusal costs one write, and a flood soon none.
 *
 * @param chooseFirst - a whole number below its argument, at random
 */
export const createRefusalSlots = (chooseFirst: (limit: number) => number): RefusalSlots => {
  let current = '';
  let minutes = new Map<string, Minute>();

  const minuteOf = (workflowId: string, receivedAt: number): Minute => {
    const name = toMinute(receivedAt);
    // One that was received earlier counts in this minute, so that no order of requests begins a minute twice.
    if (name > current) {
      current = name;
      minutes = new Map();
    }
    const minute = minutes.get(workflowId) ?? { known: new Set(), misses: 0 };
    minutes.set(workflowId, minute);
    return minute;
  };

  return {
    take: (workflowId, receivedAt) => {
      const { known, misses } = minuteOf(workflowId, receivedAt);
      if (misses >= MAX_MISSES || known.size >= SLOTS_PER_MINUTE) return null;
      let slot = chooseFirst(SLOTS_PER_MINUTE);
      while (known.has(slot)) slot = (slot + 1) % SLOTS_PER_MINUTE;
      known.add(slot);
      return slot;
    },
    miss: (workflowId, receivedAt) => {
      minuteOf(workflowId, receivedAt).misses += 1;
    },
  };
};
