import type { Clock } from '@hookloom/plugin-kit';
import type { BackgroundMode } from '../../workflows/definition/definition.ts';

/** Calls a second of one process that reconciles many. */
export interface Rates extends Readonly<Record<BackgroundMode, number>> {
  /** Dispatches of what may still be in Lambda's queue. */
  readonly again: number;
  /** Of `DurableService.findStatus`. */
  readonly status: number;
}

/**
 * Durable starts, and questions for the status of durable executions, have quotas in each account: 300 and 30 a second, which
 * others use as well. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const RATES: Rates = { durable: 300, express: 1_000, again: 50, status: 25 };

/** Of one invocation. */
export type Paces = Readonly<Record<keyof Rates, Pace>>;

export const openPaces = (rates: Rates, clock: Clock): Paces => ({
  durable: createPace(rates.durable, clock),
  express: createPace(rates.express, clock),
  again: createPace(rates.again, clock),
  status: createPace(rates.status, clock),
});

/** Lets calls through at a rate, and at a lower one while what is called refuses them. */
interface Pace {
  /** Resolves when the caller may call. @returns false when nothing is let through any more */
  turn(): Promise<boolean>;
  /** The call was accepted. */
  accepted(): void;
  /** The call was refused. */
  refused(): void;
}

/** Where a rate begins, so that what others need at the same time is not taken at once. */
const FIRST_SHARE = 0.25;
/** Of the rate, in a second without a refusal. */
const GROWTH = 0.05;
/** The lowest share: none waits for its turn for more than seconds. */
const LAST_SHARE = 0.1;
/** Seconds in a row that saw refusals and nothing else, after which nothing is let through any more. */
const MAX_REFUSED_SECONDS = 10;

/**
 * The rate grows while calls are accepted, and is halved, once in a second, when one is refused: it comes near to what others
 * leave of a quota.
 *
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
