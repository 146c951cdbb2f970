import { toMinute } from './request-record.ts';

/** Refused requests recorded per workflow and minute, by all processes together. */
const SLOTS_PER_MINUTE = 60;

/**
 * How many failed writes stop a process from recording refusals of a workflow in a minute: other processes have taken
 * the slots.
 */
const MAX_MISSES = 4;

interface Minute {
  /** Slots that this process has taken or found taken. */
  readonly known: Set<number>;
  misses: number;
}

/** Slots for recording refused requests, of which this process knows. A workflow id may be any name with its own limit. */
export interface RefusalSlots {
  /** @returns a slot that may be free and is not returned again in this minute; null if there are none left */
  take(workflowId: string, receivedAt: number): number | null;
  /** Reports that the slot could not be written. */
  miss(workflowId: string, receivedAt: number): void;
}

/**
 * Chooses slots that are most likely free: it skips those that this process knows, and processes start at different
 * ones. So a refusal costs one write, and a flood soon none.
 *
 * @param chooseFirst - returns a random whole number below its argument
 */
export const createRefusalSlots = (chooseFirst: (limit: number) => number): RefusalSlots => {
  let current = '';
  let minutes = new Map<string, Minute>();

  const minuteOf = (workflowId: string, receivedAt: number): Minute => {
    const name = toMinute(receivedAt);
    // A request received earlier counts in the current minute, so that out-of-order requests never start a minute
    // twice.
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
