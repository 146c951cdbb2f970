/** An event that checks whether a function works, without starting anything. No request and no trigger event has this shape. */
export const PING = { hookloom: 'ping' } as const;

/** The response to a ping. A misconfigured function does not start, and so does not respond. */
export interface Pong {
  readonly hookloom: 'pong';
  /** The function's name in AWS, such as `hookloom-production-sweep`. */
  readonly function: string | undefined;
  /** The function's clock, in milliseconds since the epoch. */
  readonly time: number;
  /** The part of the function's environment that pings report. It contains no secrets. */
  readonly config: {
    readonly version: string;
    /** URL of the service; null in functions that do not get it. */
    readonly publicUrl: string | null;
    readonly blobBucket: string | null;
  };
}

/** @returns the response to a ping; null for any other event */
export type AnswerPing = (event: unknown, toPong: () => Pong) => unknown;

/** A single property check, since every event of a function passes here. */
export const plainPing: AnswerPing = (event, toPong) =>
  (event as { readonly hookloom?: unknown } | null | undefined)?.hookloom === 'ping' ? toPong() : null;

export const isPong = (answer: unknown): answer is Pong =>
  (answer as { readonly hookloom?: unknown } | null | undefined)?.hookloom === 'pong';

/** Functions of serverless.yml that a stage has only if a parameter asks for them. */
export const OPTIONAL_FUNCTIONS: readonly string[] = ['exportTraces'];

/** The prefix of the workflow ids with which the doctor probes a service: reserved, so no user workflow has it. */
export const PROBE_PREFIX = 'hookloom-doctor-';
