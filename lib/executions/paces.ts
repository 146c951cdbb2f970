import type { Clock } from '@hookloom/plugin-kit';
import type { BackgroundMode } from '../workflows/definition/definition.ts';

/** Calls per second that one reconciling process makes. */
export interface Rates extends Readonly<Record<BackgroundMode, number>> {
  /** Dispatches of executions that may still be in Lambda's queue. */
  readonly again: number;
  /** Calls of `DurableService.findStatus` per second. */
  readonly status: number;
}

/**
 * Durable starts and status requests of durable executions have quotas in each account, 300 and 30 a second, which
 * other callers share. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const RATES: Rates = { durable: 300, express: 1_000, again: 50, status: 25 };

/** The paces of one invocation. */
export type Paces = Readonly<Record<keyof Rates, Pace>>;

export const openPaces = (rates: Rates, clock: Clock): Paces => ({
  durable: createPace(rates.durable, clock),
  express: createPace(rates.express, clock),
  again: createPace(rates.again, clock),
  status: createPace(rates.status, clock),
});

/** Lets calls through at a certain rate, and at a lower one while they are refused. */
interface Pace {
  /** Resolves when the caller may call. @returns false if no more calls are let through */
  turn(): Promise<boolean>;
  /** Reports that the call was accepted. */
  accepted(): void;
  /** Reports that the call was refused. */
  refused(): void;
}

/** The share of the rate to start with, so that other callers are not starved at once. */
const FIRST_SHARE = 0.25;
/** How much of the full rate is added after a second without a refusal. */
const GROWTH = 0.05;
/** The lowest share of the rate, at which a caller still waits only seconds for its turn. */
const LAST_SHARE = 0.1;
/** After how many seconds in a row with nothing but refusals no more calls are let through. */
const MAX_REFUSED_SECONDS = 10;

/**
 * Creates a pace that speeds up while calls are accepted and halves, at most once a second, when one is refused, so
 * that it approaches what others leave of a quota.
 * @param perSecond - the highest rate
 */
const createPace = (perSecond: number, clock: Clock): Pace => {
  let rate = perSecond * FIRST_SHARE;
  let nextAt = 0;
  let refusedSeconds = 0;
  let slowedAt = Number.NEGATIVE_INFINITY;
  const isOpen = (): boolean => refusedSeconds < MAX_REFUSED_SECONDS;
  return {
    turn: async () => {
      const now = clock.now();
      const at = Math.max(now, nextAt);
      if (!isOpen()) return false;
      nextAt = at + 1_000 / rate;
      if (at > now) await clock.sleep(Math.ceil(at - now));
      return isOpen();
    },
    accepted: () => {
      refusedSeconds = 0;
      rate = Math.min(perSecond, rate + (perSecond * GROWTH) / rate);
    },
    refused: () => {
      if (clock.now() - slowedAt < 1_000) return;
      slowedAt = clock.now();
      refusedSeconds++;
      rate = Math.max(rate / 2, perSecond * LAST_SHARE);
    },
  };
};
