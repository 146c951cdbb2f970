import type { Clock } from '@hookloom/plugin-kit';

/** Limits on the calls out that share a credential or go to a host, over all sandboxes. */
export interface CallLimits {
  /** At most this many calls in any second; less than 1 for one call in several seconds. */
  readonly perSecond?: number | undefined;
  /** At most this many calls at a time. */
  readonly atOnce?: number | undefined;
}

/** Limits that apply to a call. */
export interface AppliedLimits extends CallLimits {
  /** Of the calls that share the limits: `credential:ID` or `host:PATTERN`. */
  readonly key: string;
}

/** What a limit is stored as. All times are in milliseconds since the epoch. */
interface LimitState {
  /** When the next slot begins. */
  readonly nextAt: number;
  /** What the clock said of the sandbox that gave the first of the slots that follow each other; 0 if it is not known. */
  readonly startedAt: number;
  /** Until when a server has asked all callers to wait; 0 if none has. */
  readonly pausedUntil: number;
  /** Until when each place is taken, by number. */
  readonly places: ReadonlyMap<number, number>;
  /** How long calls have had places of late; null if none has left one. */
  readonly held: HeldPlace | null;
}

/** How long calls have places. */
export interface HeldPlace {
  /** An average in which the latest count most. */
  readonly ms: number;
  /** When the last call left its place. */
  readonly at: number;
}

/** Keeps the limits of all sandboxes. All methods throw AppError `STORE_UNAVAILABLE`. */
export interface CallLimitStore {
  /**
   * Reserves the next slot, in one write; in two if `knownNextAt` is outdated.
   *
   * @returns the slot; null, with nothing reserved, if it would be later than `latest`, or if the slots start too late to be
   * believed ({@link CLOCK_TOLERANCE_MS})
   */
  reserve(
    key: string,
    slot: {
      readonly now: number;
      /** The earliest slot that is of use; `now` by default. */
      readonly earliest?: number;
      /** The latest slot that is of use. */
      readonly latest: number;
      readonly intervalMs: number;
      /** The end of the last slot that the sandbox knows; null if it knows none. */
      readonly knownNextAt: number | null;
    },
  ): Promise<number | null>;
  /** Finds a limit, with all its changes. */
  find(key: string): Promise<LimitState>;
  /**
   * Takes a place among those that may be made at a time.
   * @returns null, with nothing changed, if another has it, or all calls wait for a pause that can be believed
   */
  enter(key: string, place: CallPlace, now: number): Promise<Pick<LimitState, 'held'> | null>;
  /** Frees a place, unless another has taken it since. @param held - replaces the known one; null for a call that was not made */
  leave(key: string, place: CallPlace, held: HeldPlace | null): Promise<void>;
  /** Makes all calls wait until then. It replaces a longer pause only if that can't be believed. */
  pause(key: string, until: number, now: number): Promise<void>;
}

/** What limits need of the outside. */
export interface LimiterPorts {
  readonly limits: CallLimitStore;
  readonly clock: Clock;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
}

/** How far ahead of a sandbox's clock that of another may be, in milliseconds, so that both use the same slots. */
export const CLOCK_TOLERANCE_MS = 5_000;

/** Whether slots or a pause may have started then. If not, one of two clocks is wrong, and nothing stored shows which. */
const isBelieved = (startedAt: number, now: number): boolean => startedAt <= now + CLOCK_TOLERANCE_MS;

/** The slots of sandboxes whose clocks are behind the one that the limit was stored by. */
const apartOf = (key: string): string => `${key} apart`;

/**
 * Finds a limit as far as it can be believed. Of one that can't, `nextAt` is that of the slots that {@link reserveSlot} gives
 * instead, and no pause is known: a server that still wants one says so to the next call.
 */
export const findLimit = async (
  store: Pick<CallLimitStore, 'find'>,
  key: string,
  now: number,
): Promise<LimitState> => {
  const limit = await store.find(key);
  if (isBelieved(limit.startedAt, now)) return limit;
  return { ...limit, nextAt: (await store.find(apartOf(key))).nextAt, pausedUntil: 0 };
};

/**
 * Reserves the next slot. Where the stored ones start in the future, one of two clocks is wrong. Whichever it is, resetting
 * the slots would give away those that are reserved, again with each call of the one that is wrong; believing them would block
 * the limit for as long as the clocks differ. So sandboxes that are behind share slots of their own: the limit is never
 * exceeded by more than one more of it, and by what was reserved when the clocks first disagreed.
 *
 * @returns the slot, or null and when the next one is
 */
export const reserveSlot = async (
  store: Pick<CallLimitStore, 'reserve' | 'find'>,
  key: string,
  slot: Parameters<CallLimitStore['reserve']>[1],
): Promise<{ readonly at: number } | { readonly at: null; readonly nextAt: number }> => {
  const at = await store.reserve(key, slot);
  if (at !== null) return { at };
  const { nextAt, startedAt } = await findLimit(store, key, slot.now);
  const apart = isBelieved(startedAt, slot.now) ? null : await store.reserve(apartOf(key), slot);
  return apart === null ? { at: null, nextAt } : { at: apart };
};

export interface CallPlace {
  /** From 0. */
  readonly number: number;
  /** Until when it is taken, also if its holder crashes, in milliseconds since the epoch. */
  readonly until: number;
}

/** The greatest rate: all calls of a limit are written to one item of the table. */
export const MAX_PER_SECOND = 500;
export const MIN_PER_SECOND = 0.001;
export const MAX_AT_ONCE = 100;

/** Limits for people: `10 calls a second, 5 at a time`. */
export const describeLimits = ({ perSecond, atOnce }: CallLimits): string =>
  [
    ...(perSecond === undefined ? [] : [describeRate(perSecond)]),
    ...(atOnce === undefined ? [] : [`${atOnce} at a time`]),
  ].join(', ');

const describeRate = (perSecond: number): string => {
  if (perSecond >= 1) return `${perSecond} ${perSecond === 1 ? 'call' : 'calls'} a second`;
  return `1 call in ${Math.round(10 / perSecond) / 10} s`;
};

/**
 * How much closer two calls may arrive than they were sent, in milliseconds, without a server seeing more in a second
 * than the limit says.
 */
const JITTER_MS = 100;

/** A slot whose call is not sent this long after it is missed, in milliseconds: the rest of the jitter is the network's. */
export const MAX_LATE_MS = JITTER_MS / 2;

/**
 * The interval between slots, in milliseconds. It makes `perSecond` + 1 calls take a little longer than a second: with
 * intervals of exactly that part of a second, one late call would be in the second of the next ones.
 */
export const intervalOf = (perSecond: number): number =>
  1_000 / perSecond + JITTER_MS / Math.max(1, perSecond);
