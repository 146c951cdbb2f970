import { NodeError, type OutboundRequest, type OutboundResponse, readRetryAfter } from '@hookloom/plugin-kit';
import type { CallTurn } from '../../engine/call-turn.ts';
import { LruMap } from '../../shared/cache.ts';
import { isAppError } from '../../shared/errors.ts';
import { describeStoreFault } from '../../shared/store-fault.ts';
import {
  type AppliedLimits,
  describeLimits,
  findLimit,
  intervalOf,
  type LimiterPorts,
  MAX_LATE_MS,
  reserveSlot,
} from './call-limits.ts';
import { measureHeld, queueOf, type TakenPlace, takePlace } from './call-places.ts';

/** Makes a call when limits let it pass. */
export type LimitCall = (
  limits: AppliedLimits,
  request: Pick<OutboundRequest, 'timeoutMs' | 'signal'>,
  turn: CallTurn | undefined,
  call: () => Promise<OutboundResponse>,
) => Promise<OutboundResponse>;

/** An attempt that would wait for longer is postponed, where it can be. */
const LONG_WAIT_MS = 3_000;
/** A postponed attempt is made this long before its slot: enough to start a process and to load a plan. */
const LEAD_MS = 2_000;
/** For an attempt that took longer to start before, that time is added, up to this long a lead. */
const MAX_LEAD_MS = 10_000;
/** The longest time ahead for which slots are reserved. */
const MAX_AHEAD_MS = 24 * 3_600_000;
/** The longest time for which a server can make all calls wait. */
const MAX_PAUSE_MS = 3_600_000;
/** The first delay and the longest before a limit is asked again whose store throttles. */
const STORE_DELAY_MS = 500;
const MAX_STORE_DELAY_MS = 10_000;
/** The longest delays between tries to leave a place: one that is not left is lost until it expires. */
const LEAVE_DELAYS_MS = [200, 400, 800, 1_600, 0];
/** A call in the process of another sandbox ends with its own timeout: its place is free this much later. */
const PLACE_MARGIN_MS = 5_000;
const MAX_KEYS = 500;

/**
 * Limits calls out: to a number per second, by reserving slots in the order in which they are asked for (the generic cell
 * rate algorithm, with a burst of one), and to a number at a time, by places that calls take and leave. A call that is too
 * late for its slot reserves another, unless only the store made it late: another would be as late.
 *
 * A rate costs one write per call, places two. A server that answers 429 or 503 with `Retry-After` makes all calls of the
 * limit wait, for which another write is made; a call that has waited looks for that before it is sent.
 *
 * @throws NodeError `CallLimitReached` if the call can't be made within the time of its attempt, `CallLimitUnavailable` if
 * the store does not answer in this time, and what the call throws
 */
export const createLimitCall = (ports: LimiterPorts): LimitCall => {
  const { limits: store, clock, random } = ports;
  /** When the next slot begins, as this sandbox knows it. */
  const known = new LruMap<string, number>(MAX_KEYS);

  return async (limits, { timeoutMs, signal }, turn, call) => {
    const { key, perSecond, atOnce } = limits;
    const begun = turn?.begin() ?? { canPostpone: false, slot: null };
    const { canPostpone } = begun;
    const endsAt = clock.now() + (turn?.remainingMs() ?? timeoutMs);
    const givenSlot = begun.slot?.key === key ? begun.slot.at : null;
    const startMs = givenSlot === null ? 0 : clock.now() - givenSlot + LEAD_MS;
    const leadMs = Math.min(LEAD_MS + Math.max(0, startMs), MAX_LEAD_MS);

    const refuse = (nextAt: number): never => {
      const now = clock.now();
      const message = `the limit of ${nameOfLimit(key)} is ${describeLimits(limits)}: the next call is possible in ${toSeconds(nextAt - now)} s, but this one must end in ${toSeconds(endsAt - now)} s`;
      throw new NodeError(message, { name: 'CallLimitReached', retryAfterMs: Math.max(0, nextAt - now) });
    };

    /** Waits in the process, or ends the attempt if that takes long. */
    const waitUntil = async (at: number, slot: { readonly key: string; readonly at: number } | null) => {
      const waitMs = at - clock.now();
      if (canPostpone && turn !== undefined && waitMs > LONG_WAIT_MS)
        return turn.postpone({
          waitMs: waitMs - (slot === null ? 0 : leadMs),
          slot,
          reason: `waits for the limit of ${nameOfLimit(key)}: ${describeLimits(limits)}`,
        });
      if (at > endsAt && !canPostpone) return refuse(at);
      if (waitMs > 0) await clock.sleep(waitMs, signal);
    };

    const reserve = async (intervalMs: number): Promise<number> => {
      const now = clock.now();
      const latest = canPostpone ? now + MAX_AHEAD_MS : endsAt;
      const knownNextAt = known.get(key) ?? null;
      const reserved = await reserveSlot(store, key, { now, latest, intervalMs, knownNextAt });
      if (reserved.at === null) return refuse(reserved.nextAt);
      known.set(key, reserved.at + intervalMs);
      return reserved.at;
    };

    /** Waits for a slot, and as long after it as the store took to give it. */
    const awaitSlot = async (intervalMs: number, reserved: number | null): Promise<void> => {
      for (let at = reserved; ; at = null) {
        const startedAt = clock.now();
        const slot = at ?? (await reserve(intervalMs));
        // All calls are as late as the store is slow, and so as far from each other as their slots.
        let storeMs = clock.now() - startedAt;
        if (slot > clock.now()) {
          await waitUntil(slot, { key, at: slot });
          const looksAt = clock.now();
          if ((await findLimit(store, key, looksAt)).pausedUntil > looksAt) continue;
          storeMs = Math.max(storeMs, clock.now() - looksAt);
        }
        const sendAt = slot + storeMs;
        if (sendAt > clock.now()) await clock.sleep(sendAt - clock.now(), signal);
        if (clock.now() - sendAt <= MAX_LATE_MS) return;
      }
    };

    const enter = (places: number): Promise<TakenPlace> => {
      const queue = queueOf(key);
      const endOfWait = perSecond === undefined ? 0 : canPostpone ? LONG_WAIT_MS : endsAt - clock.now();
      return takePlace(ports, {
        key,
        places,
        endsAt,
        canPostpone,
        refuse,
        maxHeldMs: endOfWait + timeoutMs + PLACE_MARGIN_MS,
        turn: begun.slot?.key === queue ? begun.slot.at : null,
        knownEnd: known.get(queue) ?? null,
        onQueue: (end) => void known.set(queue, end),
        waitUntil: (at, turnAt) => waitUntil(at, turnAt === null ? null : { key: queue, at: turnAt }),
      });
    };

    /** @param isMade - whether the call was made, so that the time of its place is the time of a call */
    const leave = async (place: TakenPlace | null, isMade = true): Promise<void> => {
      if (place === null) return;
      const held = isMade ? measureHeld(place, clock.now()) : null;
      for (const delayMs of LEAVE_DELAYS_MS) {
        try {
          return await store.leave(key, place, held);
        } catch {
          await clock.sleep(delayMs * random());
        }
      }
      // Then it expires.
    };

    /** @returns the place that the call takes: before its slot, which it would miss if it had to wait for a place */
    const prepare = async (): Promise<TakenPlace | null> => {
      const place = atOnce === undefined ? null : await enter(atOnce);
      if (perSecond === undefined) return place;
      try {
        // One that has begun may have been used: a process that repeats an attempt after a crash has the same.
        const reserved = givenSlot !== null && givenSlot > clock.now() ? givenSlot : null;
        await awaitSlot(intervalOf(perSecond), reserved);
        return place;
      } catch (error) {
        await leave(place, false); // it would stay taken while the attempt is postponed
        throw error;
      }
    };

    /** A store that throttles makes the call wait, as a full limit does. */
    const prepareInTime = async (): Promise<TakenPlace | null> => {
      for (let tries = 0; ; tries++) {
        try {
          return await prepare();
        } catch (cause) {
          if (!isAppError(cause, 'STORE_UNAVAILABLE')) throw cause;
          const at =
            clock.now() + Math.min(STORE_DELAY_MS * 2 ** tries, MAX_STORE_DELAY_MS) * (0.5 + random());
          if (at > endsAt && !canPostpone)
            throw new NodeError(
              `the store of the limit of ${nameOfLimit(key)} can't be used: ${describeStoreFault(cause)}`,
              {
                name: 'CallLimitUnavailable',
                cause,
              },
            );
          await waitUntil(at, begun.slot);
        }
      }
    };

    const place = await (turn === undefined ? prepareInTime() : turn.untimed(prepareInTime));
    try {
      const response = await call();
      const pauseMs = readRetryAfter(response.status, response.headers, clock.now()) ?? 0;
      if (pauseMs > 0) {
        const now = clock.now();
        await store.pause(key, now + Math.min(pauseMs, MAX_PAUSE_MS), now).catch(() => {}); // the node gets its answer
      }
      if (response.stream !== null && place !== null)
        return { ...response, stream: endWith(response.stream, async () => leave(place)) };
      await leave(place);
      return response;
    } catch (error) {
      await leave(place);
      throw error;
    }
  };
};

const toSeconds = (ms: number): number => Math.max(0, Math.ceil(ms / 1_000));

/** `credential:crm` as `credential "crm"`. */
const nameOfLimit = (key: string): string => {
  const at = key.indexOf(':');
  return `${key.slice(0, at)} "${key.slice(at + 1)}"`;
};

/** Calls `onEnd` when a stream ends, fails or is given up. */
async function* endWith(
  stream: AsyncIterable<Uint8Array>,
  onEnd: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } finally {
    await onEnd();
  }
}
