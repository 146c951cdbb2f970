/** An event of its own that asks a function whether it works: it starts nothing. No request and no event of a trigger has this form. */
export const PING = { hookloom: 'ping' } as const;

/** The answer to a ping. A function whose configuration is wrong does not start, and so gives none. */
export interface Pong {
  readonly hookloom: 'pong';
  /** Its name in AWS, such as `hookloom-production-sweep`. */
  readonly function: string;
  readonly version: string;
  /** By the clock of the function, milliseconds since the epoch. */
  readonly time: number;
  /** Null in functions that are not given it. */
  readonly publicUrl: string | null;
  readonly blobBucket: string | null;
}

/** One look at a property: every event of a function passes here. */
export const isPing = (event: unknown): boolean =>
  (event as { readonly hookloom?: unknown } | null | undefined)?.hookloom === PING.hookloom;

export const isPong = (answer: unknown): answer is Pong =>
  (answer as { readonly hookloom?: unknown } | null | undefined)?.hookloom === 'pong';
