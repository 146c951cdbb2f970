import type { PlaceKind, RequestRecord } from './request-record.ts';

export interface RequestQuery {
  readonly workflowId: string;
  readonly kind: PlaceKind;
  /**
   * Start of the period, in milliseconds since the epoch; `from` and `to` are included. Refused requests are matched by
   * minute.
   */
  readonly from: number;
  readonly to: number;
}

/** All methods throw AppError `STORE_UNAVAILABLE` when the store can't be reached. */
export interface RequestStore {
  /** @returns false if the place is taken; nothing is changed then */
  put(record: RequestRecord): Promise<boolean>;
  /** Takes as long as `put`, but overwrites the place and stores nothing of the record: only blanks of the same length. */
  fill(record: RequestRecord): Promise<void>;
  /** @returns null if there is none or it has expired */
  find(workflowId: string, place: string): Promise<RequestRecord | null>;
  /** Finds the records of a kind by place, descending. Reads pages on demand. */
  scan(query: RequestQuery): AsyncIterable<RequestRecord>;
}
