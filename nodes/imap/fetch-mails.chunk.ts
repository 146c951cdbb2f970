import { createHash } from 'node:crypto';
import {
  fromAttempt,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  type LentCredential,
  type NodeContext,
  withRotation,
} from '@hookloom/plugin-kit';
import type { FetchMessageObject, ImapFlow, SearchObject } from 'imapflow';
import type { MailQuery } from './mail-query.ts';
import { mailKeyOf, readHead, readMail, toTime } from './read-mail.ts';
import { readImapServer, withImapSession } from './session.ts';

export { logInToImap } from './session.ts'; // its library is large, and stands in one file

interface Mails {
  readonly items: readonly JsonValue[];
  readonly keys: readonly string[];
  readonly position: JsonObject | null;
}

/** Mails that are recognised by what they are, since their server has given all mails new numbers. */
interface Known {
  /** Up to this UID; later mails are new in any case. */
  readonly until: number;
  /** When the latest mail had arrived that was handed over before, ISO 8601. */
  readonly receivedAt: string;
  /** Those that had arrived in the same second. */
  readonly ids: readonly string[];
}

/** Where the next poll continues. */
interface Position {
  readonly mailbox: string;
  readonly uidValidity: string;
  /** The last UID that was handed over, or did not match. */
  readonly uid: number;
  readonly receivedAt: string;
  readonly ids: readonly string[];
  /** The mails that the poll has handed over: the next one marks them as seen, since their executions are stored by then. */
  readonly unmarked: readonly number[];
  readonly known: Known | null;
}

/** Bytes of all mails in one poll, unless a single one has more. */
const MAX_POLL_BYTES = 10_000_000;

/** How many mails a trial shows. */
const TRIED_MAILS = 3;

/** How many mails of one second are remembered. */
const MAX_IDS = 50;

const DAY_MS = 86_400_000;

/**
 * Fetches the mails that have arrived since the last poll, the earliest first. What does not fit into a poll is left to the
 * next one. A trial gets the newest ones.
 *
 * @throws AppError `OUTBOUND_*`, NodeError `ImapError` or `CredentialRejected`
 */
export const fetchMails = (
  query: MailQuery,
  { position, isTrial }: { readonly position: JsonValue; readonly isTrial: boolean },
  credential: LentCredential,
  context: NodeContext,
): Promise<Mails> =>
  withRotation(credential, (current) =>
    withImapSession(
      readImapServer((name) => current.field(name)),
      { tcp: context.services.tcp, ...fromAttempt(context), maxMailBytes: query.maxMailBytes },
      (client) =>
        isTrial
          ? tryMails(client, query)
          : pollMails(client, query, readPosition(position, query), context.services.clock.now()),
    ),
  );

/** The newest mails, with nothing marked. */
const tryMails = async (client: ImapFlow, query: MailQuery): Promise<Mails> => {
  const box = await client.mailboxOpen(query.mailbox, { readOnly: true });
  const uids = (await searchUids(client, toCriteria(query))).slice(-TRIED_MAILS).reverse();
  const found = (await fetchDescriptions(client, uids)).toReversed();
  return { ...(await readMails(client, query, String(box.uidValidity), found)), position: null };
};

const pollMails = async (
  client: ImapFlow,
  query: MailQuery,
  last: Position | null,
  now: number,
): Promise<Mails> => {
  const isMarking = query.markSeen && last !== null && last.unmarked.length > 0;
  const box = await client.mailboxOpen(query.mailbox, { readOnly: !isMarking });
  const uidValidity = String(box.uidValidity);
  const newest = box.exists === 0 ? [] : await fetchDescriptions(client, '*');
  const lastUid = Math.max((box.uidNext ?? 1) - 1, newest[0]?.uid ?? 0);
  if (last === null && !query.isFromFirst) {
    const receivedAt = toTime(newest[0]?.internalDate) ?? new Date(now).toISOString();
    const position = { mailbox: query.mailbox, uidValidity, uid: lastUid, receivedAt, ids: newest.map(toId) };
    return { items: [], keys: [], position: { ...position, unmarked: [], known: null } };
  }
  const from = continueFrom(last, { mailbox: query.mailbox, uidValidity, lastUid });
  if (isMarking && last?.uidValidity === uidValidity)
    await client.messageFlagsAdd([...last.unmarked], ['\\Seen'], { uid: true });

  const { known } = from;
  const uids = await searchAfter(client, from, query);
  const { taken, isAll, passedUid } = await takeMails(client, uids, query, known);
  const uid = isAll ? Math.max(lastUid, passedUid) : passedUid;
  const position: Position = {
    mailbox: query.mailbox,
    uidValidity,
    uid,
    ...latestOf(taken, from),
    unmarked: query.markSeen ? taken.map((mail) => mail.uid) : [],
    known: known === null || uid >= known.until ? null : known,
  };
  return {
    ...(await readMails(client, query, uidValidity, taken)),
    position: position as unknown as JsonObject,
  };
};

/** Where to begin, given the last position: the UIDs of a mailbox that was created anew mean other mails. */
const continueFrom = (
  last: Position | null,
  {
    mailbox,
    uidValidity,
    lastUid,
  }: { readonly mailbox: string; readonly uidValidity: string; readonly lastUid: number },
): Position => {
  if (last?.uidValidity === uidValidity) return last;
  const begin = { mailbox, uidValidity, uid: 0, unmarked: [] };
  if (last === null) return { ...begin, receivedAt: new Date(0).toISOString(), ids: [], known: null };
  // If the numbers change again before all are compared, the first comparison still holds.
  const { receivedAt, ids } = last.known ?? last;
  return { ...begin, receivedAt, ids, known: { until: lastUid, receivedAt, ids } };
};

const toCriteria = ({ unseen, from, subject }: MailQuery): SearchObject => ({
  ...(unseen ? { seen: false } : {}),
  ...(from === null ? {} : { from }),
  ...(subject === null ? {} : { subject }),
});

/** The mails with higher UIDs than the last one; of those with new numbers only the latest. */
const searchAfter = async (
  client: ImapFlow,
  { uid, known }: Position,
  query: MailQuery,
): Promise<readonly number[]> => {
  const criteria = toCriteria(query);
  const after = Math.max(uid, known?.until ?? 0);
  // A server answers `n:*` with the last mail, even if that has a lower UID.
  const later = (await searchUids(client, { ...criteria, uid: `${after + 1}:*` })).filter(
    (one) => one > after,
  );
  if (known === null || uid >= known.until) return later;
  // Days are those of the server, in any time zone.
  const since = new Date(Date.parse(known.receivedAt) - 2 * DAY_MS);
  return [...(await searchUids(client, { ...criteria, uid: `${uid + 1}:${known.until}`, since })), ...later];
};

/** @returns UIDs in ascending order */
const searchUids = async (client: ImapFlow, criteria: SearchObject): Promise<readonly number[]> => {
  const given = Object.keys(criteria).length === 0 ? { all: true } : criteria;
  const found = await client.search(given, { uid: true });
  // The library has false for a search that the server refuses.
  if (found === false || found === undefined)
    throw Object.assign(new Error('refused'), { responseStatus: 'NO' });
  return [...found].sort((a, b) => a - b);
};

/** How many mails are described by one command. */
const DESCRIBED = 100;

/** @returns what the server says of mails, by ascending UID: without those that were removed in between */
const fetchDescriptions = async (
  client: ImapFlow,
  uids: readonly number[] | '*',
): Promise<readonly FetchMessageObject[]> => {
  const all: FetchMessageObject[] = [];
  const ranges = uids === '*' ? ['*'] : chunk(uids, DESCRIBED).map((some) => some.join(','));
  for (const range of ranges) {
    const query = { uid: true, flags: true, size: true, internalDate: true, envelope: true };
    // `*` is a sequence number: not all servers know it as a UID.
    for await (const found of client.fetch(range, query, { uid: uids !== '*' })) all.push(found);
  }
  return all.sort((a, b) => a.uid - b.uid);
};

const chunk = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

/** Takes as many mails as one poll may hand over, the earliest first. */
const takeMails = async (
  client: ImapFlow,
  uids: readonly number[],
  { maxMails, maxMailBytes }: MailQuery,
  known: Known | null,
) => {
  const taken: FetchMessageObject[] = [];
  let bytes = 0;
  let passedUid = 0;
  for (const some of chunk(uids, DESCRIBED)) {
    for (const found of await fetchDescriptions(client, some)) {
      const size = found.size ?? 0;
      const isNew = known === null || found.uid > known.until || !isKnownMail(found, known);
      if (isNew) {
        bytes += size > maxMailBytes ? 0 : size;
        const isFull = taken.length === maxMails || (taken.length > 0 && bytes > MAX_POLL_BYTES);
        if (isFull) return { taken, isAll: false, passedUid };
        taken.push(found);
      }
      passedUid = found.uid;
    }
  }
  return { taken, isAll: true, passedUid };
};

const isKnownMail = (found: FetchMessageObject, { receivedAt, ids }: Known): boolean => {
  const time = toTime(found.internalDate) ?? receivedAt;
  return time < receivedAt || (time === receivedAt && ids.includes(toId(found)));
};

/** A mail apart from its numbers. */
const toId = ({ envelope, size, internalDate }: FetchMessageObject): string =>
  createHash('sha256')
    .update(JSON.stringify([envelope?.messageId ?? null, size ?? null, toTime(internalDate)]))
    .digest('base64url')
    .slice(0, 16);

/** When the latest mail has arrived that was handed over, and which ones in that second. */
const latestOf = (
  taken: readonly FetchMessageObject[],
  before: Pick<Position, 'receivedAt' | 'ids'>,
): Pick<Position, 'receivedAt' | 'ids'> => {
  let { receivedAt, ids } = before;
  for (const mail of taken) {
    const time = toTime(mail.internalDate) ?? receivedAt;
    if (time > receivedAt) ids = [];
    if (time < receivedAt) continue;
    receivedAt = time;
    ids = [...ids, toId(mail)].slice(-MAX_IDS);
  }
  return { receivedAt, ids };
};

const readMails = async (
  client: ImapFlow,
  { mailbox, maxMailBytes }: MailQuery,
  uidValidity: string,
  found: readonly FetchMessageObject[],
): Promise<Pick<Mails, 'items' | 'keys'>> => {
  const items: JsonValue[] = [];
  const keys: string[] = [];
  for (const mail of found) {
    const place = { mailbox, uidValidity, found: mail };
    const isLarge = (mail.size ?? 0) > maxMailBytes;
    const query = isLarge ? { headers: true, bodyStructure: true } : { source: true };
    const fetched = await client.fetchOne(String(mail.uid), query, { uid: true });
    if (fetched === false || fetched === undefined) continue; // it was removed since the search
    const whole = { ...place, found: { ...mail, ...fetched } };
    items.push(
      isLarge
        ? await readHead(whole, maxMailBytes)
        : await readMail(whole, fetched.source ?? Buffer.alloc(0)),
    );
    keys.push(mailKeyOf(place));
  }
  return { items, keys };
};

/** @returns null for the first poll, of this mailbox: also if an operator has changed what is remembered */
const readPosition = (value: JsonValue, { mailbox }: MailQuery): Position | null =>
  isPlainObject(value) && value.mailbox === mailbox && typeof value.uid === 'number'
    ? (value as unknown as Position)
    : null;
