/** The outcome of a request: an execution, none, the execution of an earlier delivery, or a test. */
export const VERDICTS = ['started', 'duplicate', 'refused', 'skipped', 'caught'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A recorded request, without secrets and truncated to what the store keeps. */
export interface RequestRecord {
  readonly workflowId: string;
  /** The record's key within the workflow: see {@link refusedPlace} and {@link passedPlace}. */
  readonly place: string;
  /** The gateway's request id; empty without one. */
  readonly requestId: string;
  /** When the request was received, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Client address of the connection to the gateway. */
  readonly sender: string;
  readonly method: string;
  /** The path within the workflow: `/` or `/segment/…`. */
  readonly path: string;
  /** The query without the question mark, still encoded. */
  readonly query: string;
  /** Headers of the request, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the request, or its start. */
  readonly body: string;
  /** Size of the whole body in bytes. */
  readonly bodyBytes: number;
  /** Why the request can't be sent again unchanged, as a clause; null if it was stored in full. */
  readonly missing: string | null;
  /** The delivery's key; null for none. */
  readonly key: string | null;
  readonly verdict: Verdict;
  /** The execution that this request or an earlier delivery started; null for none. */
  readonly executionId: string | null;
  /** Why the request was refused; null if it was not. */
  readonly refusal: RequestRefusal | null;
}

export interface RequestRefusal {
  /** The error code, such as `SIGNATURE_INVALID`; `INTERNAL` for errors outside the catalogue. */
  readonly code: string;
  /** Detail of the problem that the caller got. */
  readonly detail: string;
  /** The reason in the log, such as `signature: the timestamp is 9 minutes old`; null for none. */
  readonly reason: string | null;
}

/** Length of a minute such as `20261120T1200`. */
const MINUTE_LENGTH = 13;

/** Sorts by time. @param ms - since the epoch */
const toStamp = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:.Z]/g, '');

/** Returns the minute of a time, in UTC, such as `20261120T1200`. */
export const toMinute = (ms: number): string => toStamp(ms).slice(0, MINUTE_LENGTH);

/**
 * The place of a refused request, one of a fixed number per minute: a taken place stays taken for all processes, so
 * that a flood can't fill the table.
 */
export const refusedPlace = (receivedAt: number, slot: number): string =>
  `r${toMinute(receivedAt)}-${String(slot).padStart(2, '0')}`;

/** The place of a request that was not refused. @param id - unique */
export const passedPlace = (receivedAt: number, id: string): string =>
  `p${toStamp(receivedAt)}-${id.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_ID_LENGTH)}`;

const MAX_ID_LENGTH = 40;

/** The kinds of places: of refused requests, and of all others. */
export type PlaceKind = 'refused' | 'passed';

/** Bounds, both inclusive, of the places of a kind within a time range; `~` sorts after all characters of a place. */
export const placesBetween = (kind: PlaceKind, from: number, to: number): readonly [string, string] =>
  kind === 'refused'
    ? [`r${toMinute(from)}`, `r${toMinute(to)}~`]
    : [`p${toStamp(from)}`, `p${toStamp(to)}~`];

/** The id of a record contains its place: `orders.r20261120T1200-07`. */
export const toRecordId = ({ workflowId, place }: Pick<RequestRecord, 'workflowId' | 'place'>): string =>
  `${workflowId}.${place}`;

const RECORD_ID = /^([A-Za-z0-9_-]{1,64})\.((?:r\d{8}T\d{4}|p\d{8}T\d{9})-[A-Za-z0-9_-]{1,40})$/;

/** @returns null for a string that is not a record id */
export const parseRecordId = (id: string): Pick<RequestRecord, 'workflowId' | 'place'> | null => {
  const [, workflowId, place] = RECORD_ID.exec(id) ?? [];
  return workflowId === undefined || place === undefined ? null : { workflowId, place };
};

/** Orders records by time, latest first. */
export const latestFirst = (
  a: Pick<RequestRecord, 'receivedAt' | 'place'>,
  b: Pick<RequestRecord, 'receivedAt' | 'place'>,
): number => b.receivedAt - a.receivedAt || (a.place < b.place ? 1 : -1);
