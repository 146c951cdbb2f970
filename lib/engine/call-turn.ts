import type { OutboundResponse, Services } from '@hookloom/plugin-kit';

/** A time at which a limit lets one call out pass. */
export interface CallSlot {
  /** The limit that it is of. */
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** An attempt that ended before it did anything, since a limit on calls out does not let its first call pass for a while. */
export interface Postponed {
  /** Milliseconds until the attempt is to be made. */
  readonly waitMs: number;
  /** The slot that its first call has; null if it has to ask again. */
  readonly slot: CallSlot | null;
  /** The limit, for people. */
  readonly reason: string;
}

/** How the calls of one attempt wait for limits. */
export interface CallTurn {
  /** Milliseconds until the attempt times out. */
  remainingMs(): number;
  /** Runs work that does not count towards the attempt's time. */
  untimed<Value>(work: () => Promise<Value>): Promise<Value>;
  /**
   * Begins a call.
   * @returns whether the attempt can still be postponed, and the slot that it was postponed for
   */
  begin(): { readonly canPostpone: boolean; readonly slot: CallSlot | null };
  /** Ends an attempt that can be postponed, by throwing. */
  postpone(postponed: Postponed): never;
}

/** The HTTP client of the service, which waits for limits on calls out. */
export interface LimitedHttp {
  /** @param turn - of the attempt that calls; absent for a call outside of an attempt */
  request(request: Parameters<Services['http']['request']>[0], turn?: CallTurn): Promise<OutboundResponse>;
}
