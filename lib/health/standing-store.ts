import type { Expiring, Expiry } from './find-expiries.ts';
import type { Silence } from './silence/silence-rules.ts';

/** What the last sweep of registrations has found, and is not over: shown by health, lists and the console. */
export interface Standing {
  readonly silences: readonly Silence[];
  readonly expiries: readonly Expiry[];
  /** When the history of webhooks was read last, in milliseconds since the epoch; 0 for never. */
  readonly historyReadAt: number;
}

/** All methods throw AppError `STORE_UNAVAILABLE`. */
export interface StandingStore {
  find(): Promise<Standing>;
  put(standing: Standing): Promise<void>;
}

/** Lists credentials and variables whose values expire. @throws AppError `STORE_UNAVAILABLE` */
export type ListExpiring = () => Promise<readonly Expiring[]>;
