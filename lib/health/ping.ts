/** An event of its own that asks a function whether it works: it starts nothing. No request and no event of a trigger has this form. */
export const PING = { hookloom: 'ping' } as const;

/** The answer to a ping. A function whose configuration is wrong does not start, and so gives none. */
export interface Pong {
  readonly hookloom: 'pong';
  /** Its name in AWS, such as `hookloom-production-sweep`. */
  readonly function: string | undefined;
  /** By the clock of the function, milliseconds since the epoch. */
  readonly time: number;
  /** What the function has read of its environment, as far as pings are asked for it. There are no secrets in it. */
  readonly config: {
    readonly version: string;
    /** Null in functions that are not given it. */
    readonly publicUrl: string | null;
    readonly blobBucket: string | null;
  };
}

/** @returns the answer to an event that is a ping; null for any other */
export type AnswerPing = (event: unknown, toPong: () => Pong) => unknown;

/** One look at a property: every event of a function passes here. */
export const plainPing: AnswerPing = (event, toPong) =>
  (event as { readonly hookloom?: unknown } | null | undefined)?.hookloom === 'ping' ? toPong() : null;

export const isPong = (answer: unknown): answer is Pong =>
  (answer as { readonly hookloom?: unknown } | null | undefined)?.hookloom === 'pong';

/** Of the ids of workflows with which the doctor probes a service: nothing of a user is called so. */
export const PROBE_PREFIX = 'hookloom-doctor-';
