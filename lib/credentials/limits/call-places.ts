import { type CallPlace, findLimit, type HeldPlace, type LimiterPorts, reserveSlot } from './call-limits.ts';

/** A place that a call has taken. */
export interface TakenPlace extends CallPlace {
  readonly takenAt: number;
  /** How long calls before it had places. */
  readonly heldBefore: HeldPlace | null;
}

interface PlaceOptions {
  readonly key: string;
  readonly places: number;
  /** For how long a call has its place at most. */
  readonly maxHeldMs: number;
  /** Until when the call must have a place; later if its attempt can be postponed. */
  readonly endsAt: number;
  readonly canPostpone: boolean;
  /** The turn that the attempt was postponed for; null if it had none. */
  readonly turn: number | null;
  /** When the queue ends, as this sandbox knows it; null if it does not know of one. */
  readonly knownEnd: number | null;
  /** Waits in the process, or ends the attempt if that takes long. @param turn - the turn that the attempt waits for */
  readonly waitUntil: (at: number, turn: number | null) => Promise<void>;
  /** Ends the attempt, which gets no place in its time. */
  readonly refuse: (nextAt: number) => never;
  readonly onQueue: (endsAt: number) => void;
}

/** Part of the measured time of a call after which the next one gets its turn: a little early, so that no place stays free. */
const TURN_SHARE = 0.9;
/** The shortest time between turns: each costs a write to the queue, and two to the places. */
const MIN_TURN_MS = 5;
/** How long calls take until one has been measured: turns are then close, and are given again when they come too early. */
const FIRST_HELD_MS = 100;
/** For how long a measurement is of use, after the time that it measured. */
const HELD_LIFE_MS = 60_000;
/** How often a call looks for a place when its turn has come, before it queues up again. */
const LOOKS = 3;
const MAX_LOOK_MS = 1_500;
const MIN_LOOK_MS = 100;
/** Between looks of a call that has no turn in its time. */
const MIN_LOOK_WITHOUT_TURN_MS = 500;
/** A run that waits without a process for longer than this looks halfway as well: calls may have become faster. */
const LONG_TURN_MS = 60_000;
/** The longest time ahead for which turns are given. */
const MAX_AHEAD_MS = 24 * 3_600_000;
/** Tries to take a place that was free when the call looked. */
const MAX_RACES = 2;

/** A limit's queue is an item of its own, so that waiting calls do not use up the writes of calls that are made. */
export const queueOf = (key: string): string => `${key} queue`;

/**
 * Takes a place for a call. If all are taken, the call queues up: it gets a turn at the time at which a place should be free
 * for it, by its place in the queue and the time that calls take, and looks only then. So the reads and writes of each second
 * do not grow with the number of waiting calls.
 */
export const takePlace = async (
  { limits: store, clock, random }: LimiterPorts,
  { key, places, maxHeldMs, endsAt, canPostpone, turn, knownEnd, ...parts }: PlaceOptions,
): Promise<TakenPlace> => {
  const queue = queueOf(key);
  const startedAt = clock.now();
  const enter = async (free: readonly number[]): Promise<TakenPlace | null> => {
    const takenAt = clock.now();
    const number = free[Math.floor(random() * free.length) % free.length] ?? 0;
    const place = { number, until: takenAt + maxHeldMs };
    const entered = await store.enter(key, place, takenAt);
    return entered === null ? null : { ...place, takenAt, heldBefore: entered.held };
  };
  const all = Array.from({ length: places }, (_, number) => number);

  const awaitTurn = (at: number): Promise<void> => {
    const now = clock.now();
    return parts.waitUntil(at - now > LONG_TURN_MS ? (now + at) / 2 : at, at);
  };

  // A call that knows of a queue does not try blindly.
  if (turn === null && (knownEnd === null || knownEnd <= clock.now())) {
    const place = await enter(all);
    if (place !== null) return place;
  }
  let myTurn = turn;
  let looksLeft = turn === null ? 0 : LOOKS;
  let hasTurns = true;
  for (let races = 0; ; ) {
    const { places: taken, pausedUntil, held } = await findLimit(store, key, clock.now());
    const now = clock.now();
    const free = all.filter((number) => (taken.get(number) ?? 0) <= now);
    if (free.length > 0 && pausedUntil <= now && races++ <= MAX_RACES) {
      const place = await enter(free);
      if (place !== null) return place;
      continue;
    }
    races = 0;
    if (pausedUntil > endsAt && !canPostpone) return parts.refuse(pausedUntil);
    if (myTurn !== null && myTurn > now) {
      await awaitTurn(myTurn);
      continue;
    }
    const isKnown = held !== null && now - held.at < HELD_LIFE_MS + 2 * held.ms;
    const turnMs = Math.max(
      MIN_TURN_MS,
      ((isKnown ? held.ms : Math.max(FIRST_HELD_MS, (now - startedAt) / 4)) / places) * TURN_SHARE,
    );
    if (looksLeft-- > 0 && pausedUntil <= now && turnMs < MAX_LOOK_MS) {
      await parts.waitUntil(now + Math.max(MIN_LOOK_MS, turnMs * (0.5 + random())), null);
      continue;
    }
    const from = Math.max(now, pausedUntil) + turnMs / 2;
    const slot = {
      now,
      earliest: from,
      latest: canPostpone ? from + MAX_AHEAD_MS : endsAt,
      intervalMs: turnMs,
    };
    // Nearly always there is a queue by now: the first try is to join it.
    const knownNextAt = from + 1;
    myTurn = hasTurns ? (await reserveSlot(store, queue, { ...slot, knownNextAt })).at : null;
    if (myTurn !== null) {
      parts.onQueue(myTurn + turnMs);
      await awaitTurn(myTurn);
      looksLeft = LOOKS;
    } else {
      // All turns in its time are given: it looks now and then, should calls become faster.
      hasTurns = false;
      const leftMs = endsAt - clock.now();
      if (leftMs < MIN_LOOK_WITHOUT_TURN_MS) return parts.refuse((await findLimit(store, queue, now)).nextAt);
      const lookMs = Math.max(MIN_LOOK_WITHOUT_TURN_MS, leftMs / 4) * (0.5 + random() / 2);
      await parts.waitUntil(clock.now() + lookMs, null);
    }
  }
};

/** The part of the latest call in the average of the time that calls have places. */
const LATEST_SHARE = 0.5;

/** What a call that leaves its place adds to what is known of the time that calls have places. */
export const measureHeld = ({ takenAt, heldBefore }: TakenPlace, now: number): HeldPlace => {
  const ms = now - takenAt;
  return { ms: heldBefore === null ? ms : heldBefore.ms + (ms - heldBefore.ms) * LATEST_SHARE, at: now };
};
