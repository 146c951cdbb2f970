// Invariants of notices; tests cite them.
// N1: A notice that is raised is sent to each receiver that wants it, whatever crashes: it is due until it is marked as sent.
// N2: A receiver gets at most one message a minute, from however many processes.
// N3: A message starts its workflow once: it is stored before it is sent, and has one key.

import type { Clock, JsonObject, Logger } from '@hookloom/plugin-kit';
import pLimit from 'p-limit';
import { composeMessage, type DueNotice, MAX_NOTICES, quietFrom } from './compose-message.ts';
import {
  boundNotice,
  type Notice,
  type NoticeStore,
  type ReceiverState,
  type Sent,
  type StoredNotice,
} from './notice.ts';
import { isFor, type Receiver, workflowOf } from './receiver.ts';

export interface SendPorts {
  readonly store: NoticeStore;
  readonly receivers: readonly Receiver[];
  /**
   * Starts the workflow of a receiver, once for each key.
   * @returns false if it can't be started now
   */
  readonly start: (receiver: Receiver, key: string, message: JsonObject) => Promise<boolean>;
  /** The tags of a workflow; none if it does not exist. */
  readonly findTags: (workflowId: string) => Promise<readonly string[]>;
  /** When the last execution of a workflow started that succeeded, if it started after a time; else null. */
  readonly findSuccess: (workflowId: string, after: number) => Promise<number | null>;
  readonly stage: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'info'>;
}

/** The shortest time between two messages to a receiver. */
const PACE_MS = 60_000;
/** After this time, the process that stored a message no longer runs: longer than the function's timeout. */
const ABANDONED_MS = 15_000;
/** Workflows whose successes are looked for at the same time. */
const AT_ONCE = 5;

/** Sends notices: failures at once, everything else when the clock asks. */
export const createSendNotices = (ports: SendPorts) => ({
  /**
   * Counts a failure, and sends it to the receivers that have not been sent its cause.
   * @throws AggregateError if a receiver can't be sent it; AppError `STORE_UNAVAILABLE`
   */
  raise: async (notice: Notice): Promise<void> => {
    const receivers = ports.receivers.filter((receiver) => isFor(receiver, notice));
    if (receivers.length === 0) return;
    const stored = await ports.store.raise(boundNotice(notice));
    const now = ports.clock.now();
    await sendEach(
      receivers.filter((receiver) => rankOf(receiver, stored, now) !== null),
      ports,
    );
  },

  /** Settles failures that are over, sends what is due, and removes what all receivers know. Throws as `raise`. */
  sendDue: async (): Promise<void> => {
    await settleFailures(ports);
    await sendEach(ports.receivers, ports);
    await removeSent(ports);
  },
});

/** A receiver that can't be sent a message does not stop the others. */
const sendEach = async (receivers: readonly Receiver[], ports: SendPorts): Promise<void> => {
  const errors: unknown[] = [];
  for (const receiver of receivers) await sendTo(receiver, ports).catch((error) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} receivers were not sent notices`);
};

const sendTo = async (receiver: Receiver, ports: SendPorts): Promise<void> => {
  const { store, clock, stage } = ports;
  const state = await store.findReceiver(receiver.name);
  const now = clock.now();
  if (state?.outgoing) {
    if (now >= state.sentAt + ABANDONED_MS) await deliver(receiver, state, ports);
    return;
  }
  if (state !== null && now < state.sentAt + PACE_MS) return;
  const due = await findDue(receiver, await store.list(), now, ports);
  if (due.length === 0) return;
  const taken = due.slice(0, MAX_NOTICES);
  const message = composeMessage(taken, due.length - taken.length, receiver, stage);
  const marks = Object.fromEntries(taken.map(({ notice }) => [notice.id, toSent(notice, now)]));
  const before = state?.number ?? 0;
  const next = { number: before + 1, sentAt: now, outgoing: { message, marks } };
  if (await store.putReceiver(receiver.name, next, before)) await deliver(receiver, next, ports);
};

const toSent = ({ firstAt, count, settledAt }: StoredNotice, at: number): Sent => ({
  firstAt,
  count,
  isSettled: settledAt !== null,
  at,
});

/** Starts the workflow with a stored message. Can be repeated. */
const deliver = async (
  receiver: Receiver,
  { number, sentAt, outgoing }: ReceiverState,
  { store, start, logger }: SendPorts,
): Promise<void> => {
  if (outgoing === null || !(await start(receiver, `${number}-${sentAt}`, outgoing.message))) return;
  const { name } = receiver;
  const marks = Object.entries(outgoing.marks);
  await Promise.all(marks.map(([id, sent]) => store.markSent(id, name, sent)));
  await store.putReceiver(name, { number, sentAt, outgoing: null }, number);
  logger.info('Notices were sent.', { receiver: name, count: marks.length });
};

/** What is due for a receiver: first new causes, then those that are over, then digests; each by age. */
const findDue = async (
  receiver: Receiver,
  notices: readonly StoredNotice[],
  now: number,
  { findTags }: Pick<SendPorts, 'findTags'>,
): Promise<readonly DueNotice[]> => {
  const ranked: { readonly due: DueNotice; readonly rank: number }[] = [];
  for (const notice of notices) {
    const rank = rankOf(receiver, notice, now);
    if (rank === null || !(await isWanted(receiver, notice, findTags))) continue;
    const sent = notice.sent[receiver.name];
    const since =
      sent === undefined ? null : notice.count - (sent.firstAt === notice.firstAt ? sent.count : 0);
    ranked.push({ due: { notice, since }, rank });
  }
  return ranked
    .sort((one, other) => one.rank - other.rank || one.due.notice.firstAt - other.due.notice.firstAt)
    .map(({ due }) => due);
};

/** The order in which a receiver is sent a notice; null if it is not due. */
const rankOf = (
  { name, digestMs }: Pick<Receiver, 'name' | 'digestMs'>,
  { kind, count, firstAt, settledAt, sent }: StoredNotice,
  now: number,
): number | null => {
  const last = sent[name];
  if (last === undefined) return 0;
  const isAgain = last.firstAt !== firstAt;
  if (!isAgain && settledAt !== null) return last.isSettled ? null : 1;
  // Not at once: what is over and begins again every minute would be sent every minute.
  const hasMore = isAgain || (kind === 'failure' && count > last.count);
  return hasMore && now >= last.at + digestMs ? 2 : null;
};

const isWanted = async (
  receiver: Receiver,
  notice: StoredNotice,
  findTags: SendPorts['findTags'],
): Promise<boolean> => {
  if (!isFor(receiver, notice)) return false;
  const workflowId = workflowOf(notice);
  const { tags } = receiver;
  return (
    tags === null || workflowId === null || (await findTags(workflowId)).some((tag) => tags.includes(tag))
  );
};

/** Settles open failures whose workflow has succeeded since, and those that have not recurred for a day. */
const settleFailures = async ({ store, findSuccess, clock }: SendPorts): Promise<void> => {
  const failures = (await store.list()).filter(
    ({ kind, settledAt }) => kind === 'failure' && settledAt === null,
  );
  const byWorkflow = Map.groupBy(failures, (notice) => workflowOf(notice) ?? '');
  await pLimit(AT_ONCE).map([...byWorkflow], async ([workflowId, open]) => {
    const success = await findSuccess(workflowId, Math.min(...open.map(({ lastAt }) => lastAt)));
    for (const notice of open) {
      const quiet = quietFrom(notice);
      const isOver = success !== null && success > notice.lastAt;
      if (isOver) await store.settle(notice.id, success);
      else if (clock.now() >= quiet) await store.settle(notice.id, quiet);
    }
  });
};

/**
 * Removes notices that no receiver wants, and settled ones whose end all receivers know. Those remain for the interval of
 * the digest, so that what begins again soon is counted until then.
 */
const removeSent = async ({ store, receivers, findTags, clock }: SendPorts): Promise<void> => {
  const now = clock.now();
  for (const notice of await store.list()) {
    let isNeeded = false;
    for (const receiver of receivers) {
      const last = notice.sent[receiver.name];
      const knowsEnd =
        notice.settledAt !== null && last?.isSettled === true && last.firstAt === notice.firstAt;
      const isDone = knowsEnd && now >= last.at + receiver.digestMs;
      isNeeded ||= !isDone && (await isWanted(receiver, notice, findTags));
    }
    if (!isNeeded) await store.remove(notice);
  }
};
