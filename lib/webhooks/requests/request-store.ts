import type { PlaceKind, RequestRecord } from './request-record.ts';

export interface RequestQuery {
  readonly workflowId: string;
  readonly kind: PlaceKind;
  /** Milliseconds since the epoch, both included; of refused requests, their minutes. */
  readonly from: number;
  readonly to: number;
}

/** All methods throw AppError `STORE_UNAVAILABLE` when the store can't be reached. */
export interface RequestStore {
  /** @returns false, with nothing changed, when its place is taken */
  put(record: RequestRecord): Promise<boolean>;
  /**
   * Does the work of `put`, but writes over what is at the place, and keeps nothing of the record: its content is blank, of the
   * same length.
   */
  fill(record: RequestRecord): Promise<void>;
  /** @returns null when there is none, or it has expired */
  find(workflowId: string, place: string): Promise<RequestRecord | null>;
  /** Finds the records of a kind by their places, descending. Reads pages on demand. */
  scan(query: RequestQuery): AsyncIterable<RequestRecord>;
}
