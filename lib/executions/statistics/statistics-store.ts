import type { Counts, Happening } from './counts.ts';

export const HOUR_MS = 3_600_000;

/** How long an hour is kept. */
export const STATISTICS_DAYS = 400;

/** The beginning of the hour of a time. */
export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS;

/** A change of a table, as the table's stream has it. */
export interface StreamedChange {
  /** The place in its shard of the stream: rises from change to change. */
  readonly sequence: bigint;
  readonly happenings: readonly Happening[];
}

/** The counts of one hour, or of a part of it. */
interface HourPart {
  /** The beginning of the hour, in milliseconds since the epoch. */
  readonly hour: number;
  readonly counts: Counts;
}

/** All methods throw AppError `STORE_UNAVAILABLE` if the store can't be reached. */
export interface StatisticsStore {
  /**
   * Counts the changes of a shard, in the order of the stream. Each is counted once: however often it is
   * passed, in whatever batches, and if a process dies at any point.
   */
  add(shardId: string, changes: readonly StreamedChange[]): Promise<void>;
  /**
   * Reads the hours that begin within a period, in order. An hour may have several parts. Reads pages on demand.
   * @param workflowId - null for all workflows together, without their nodes
   */
  read(workflowId: string | null, from: number, to: number): AsyncIterable<HourPart>;
}
