import { createHash } from 'node:crypto';
import type { JsonObject } from '@hookloom/plugin-kit';
import type { NOTICE_KINDS } from '../../shared/notice-kinds.ts';

/** A fact about a stage that needs attention. Kind, subject and cause identify it. */
export interface Notice {
  readonly kind: (typeof NOTICE_KINDS)[number];
  /** What it is about: `workflow:orders`, `credential:shop`, `variable:rate`. */
  readonly subject: string;
  /** What distinguishes it from other notices about the same subject: at most 200 characters, the same for the same cause. */
  readonly cause: string;
  /** The text of its messages, one sentence: redacted, at most 300 characters. */
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The last execution that shows it. */
  readonly executionId?: string;
  readonly nodeId?: string;
}

export type NoticeIdentity = Pick<Notice, 'kind' | 'subject' | 'cause'>;

/** Notifies receivers. All methods throw AppError `STORE_UNAVAILABLE`. */
export interface Notices {
  /**
   * Raises a notice; without a receiver for it, this does nothing. Raising an open notice again counts it: only failures
   * are sent again for that, in a digest.
   */
  raise(notice: Notice): Promise<void>;
  /**
   * It is over: receivers that were notified are notified of that, too. Costs no write unless the notice is open; a notice that
   * another process raised in the last seconds may stay open.
   * @param at - when it was over, in milliseconds since the epoch; a notice that was raised later stays open
   */
  settle(notice: NoticeIdentity, at: number): Promise<void>;
}

/** A notice as it is stored. Times are in milliseconds since the epoch. */
export interface StoredNotice extends NoticeIdentity, Pick<Notice, 'message' | 'executionId' | 'nodeId'> {
  readonly id: string;
  /** How often it was raised since `firstAt`. */
  readonly count: number;
  /** Since when it is open. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** When it was over; null while it is open. */
  readonly settledAt: number | null;
  /** What each receiver was sent of it last, by the receiver's name. */
  readonly sent: Readonly<Record<string, Sent>>;
}

/** What a receiver was sent of a notice last, and when. */
export interface Sent {
  /** The `firstAt` of the notice, which is later if it was opened again. */
  readonly firstAt: number;
  readonly count: number;
  readonly isSettled: boolean;
  readonly at: number;
}

/** All methods throw AppError `STORE_UNAVAILABLE`. */
export interface NoticeStore {
  /**
   * Counts a notice, and opens it if it is not open. The same execution is not counted twice in a row, and a time at
   * which the notice was known to be over opens nothing.
   */
  raise(notice: Notice): Promise<StoredNotice>;
  /** Settles an open notice that was not raised after the given time. @returns whether it did */
  settle(id: string, at: number): Promise<boolean>;
  /** All notices: open ones, and those whose end was sent a short time ago. */
  list(): Promise<readonly StoredNotice[]>;
  /** Whether there is any notice, perhaps without the changes of the last second. */
  hasAny(): Promise<boolean>;
  /** Removes a notice, unless it has been raised since it was read. @returns whether it did */
  remove(notice: Pick<StoredNotice, 'id' | 'lastAt' | 'count'>): Promise<boolean>;
  /** Stores what a receiver was sent of a notice, unless that no longer exists. */
  markSent(id: string, receiver: string, sent: Sent): Promise<void>;
  /** Finds a receiver by its name. @returns null if it was never sent a message */
  findReceiver(name: string): Promise<ReceiverState | null>;
  /**
   * Stores the state of a receiver.
   * @param before - the number of its former message; 0 if there was none
   * @returns false if another process has stored a message since
   */
  putReceiver(name: string, state: ReceiverState, before: number): Promise<boolean>;
}

/** How far a receiver has been sent messages. */
export interface ReceiverState {
  /** Counts the messages. */
  readonly number: number;
  /** When the last message was written, in milliseconds since the epoch. */
  readonly sentAt: number;
  /** The last message until its workflow has started, and that is marked at its notices; then null. */
  readonly outgoing: OutgoingMessage | null;
}

/** A message, and what it sends of each notice, by the notice's id. */
export interface OutgoingMessage {
  readonly message: JsonObject;
  readonly marks: Readonly<Record<string, Sent>>;
}

export const noticeIdOf = ({ kind, subject, cause }: NoticeIdentity): string =>
  createHash('sha256')
    .update(JSON.stringify([kind, subject, cause]))
    .digest('base64url')
    .slice(0, ID_LENGTH);

/** Characters of base64url: 132 bits. */
const ID_LENGTH = 22;

const DAY_MS = 86_400_000;

/** How long a notice is kept after it was raised last: those of other kinds than failures may be raised only once. */
export const keptMsOf = (kind: Notice['kind']): number => (kind === 'failure' ? 3 : 40) * DAY_MS;

const MAX_CAUSE = 200;
const MAX_MESSAGE = 300;

/** Cuts the texts of a notice to what is stored. */
export const boundNotice = (notice: Notice): Notice => ({
  ...notice,
  cause: notice.cause.slice(0, MAX_CAUSE).toWellFormed(),
  message: notice.message.slice(0, MAX_MESSAGE).toWellFormed(),
});
