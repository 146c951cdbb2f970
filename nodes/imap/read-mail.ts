import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import type { FetchMessageObject, MessageStructureObject } from 'imapflow';
import PostalMime, { type Address, type Email } from 'postal-mime';

/** Where a mail is in its mailbox, and what the server says of it. */
interface MailPlace {
  readonly mailbox: string;
  readonly uidValidity: string;
  readonly found: FetchMessageObject;
}

const MAX_ATTACHMENTS = 200;
const MAX_HEADERS = 500;
const MAX_HEADER_LENGTH = 10_000;
const MAX_ADDRESSES = 200;

/** Bounds of the parser: a mail that exceeds one is not read further. */
const LIMITS = { maxNestingDepth: 50, maxHeadersSize: 500_000, maxRfc822NestingDepth: 0 };

export const mailKeyOf = ({ mailbox, uidValidity, found }: MailPlace): string =>
  `${mailbox}/${uidValidity}/${found.uid}`;

/** Reads a whole mail (RFC 5322, MIME). One that can't be parsed has a `problem`, and what the server says of it. */
export const readMail = async (place: MailPlace, source: Uint8Array): Promise<JsonObject> => {
  try {
    const mail = await PostalMime.parse(source, { ...LIMITS, attachmentEncoding: 'arraybuffer' });
    const attachments = mail.attachments.slice(0, MAX_ATTACHMENTS);
    return {
      ...toItem(place, mail),
      attachments: attachments.map(({ filename, mimeType, disposition, contentId, content }) => ({
        name: filename,
        mediaType: mimeType,
        size: typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength,
        isInline: disposition === 'inline',
        contentId: toId(contentId),
      })),
      isComplete: mail.attachments.length <= MAX_ATTACHMENTS,
      problem: null,
    };
  } catch (error) {
    return { ...toItem(place, null), attachments: [], isComplete: false, problem: toProblem(error) };
  }
};

/** Reads a mail of which only the headers and the structure were fetched, since it is too large. */
export const readHead = async (place: MailPlace, maxMailBytes: number): Promise<JsonObject> => {
  const { headers = Buffer.alloc(0), bodyStructure, size = 0 } = place.found;
  const mail = await PostalMime.parse(headers, LIMITS).catch(() => null);
  const parts = bodyStructure === undefined ? [] : attachmentsOf(bodyStructure);
  return {
    ...toItem(place, mail),
    text: null,
    html: null,
    attachments: parts.slice(0, MAX_ATTACHMENTS),
    isComplete: false,
    problem: `The mail has ${size} bytes; maxMailBytes allows ${maxMailBytes}`,
  };
};

const toItem = ({ mailbox, uidValidity, found }: MailPlace, mail: Email | null): JsonObject => ({
  uid: found.uid,
  mailbox,
  uidValidity,
  messageId: mail?.messageId ?? found.envelope?.messageId ?? null,
  inReplyTo: mail?.inReplyTo ?? null,
  date: mail?.date ?? null,
  receivedAt: toTime(found.internalDate),
  from: toAddresses(mail?.from === undefined ? [] : [mail.from])[0] ?? null,
  to: toAddresses(mail?.to),
  cc: toAddresses(mail?.cc),
  replyTo: toAddresses(mail?.replyTo),
  subject: mail?.subject ?? '',
  text: mail?.text ?? null,
  html: mail?.html ?? null,
  headers: toHeaders(mail),
  flags: [...(found.flags ?? [])],
  size: found.size ?? 0,
});

/** The addresses, those of groups included. */
const toAddresses = (addresses: readonly Address[] = []): JsonValue[] =>
  addresses
    .flatMap((address) => address.group ?? [address])
    .slice(0, MAX_ADDRESSES)
    .map(({ name, address = '' }) => ({ name, address }));

/** By lower-case name; the values of a repeated one are lines. */
const toHeaders = (mail: Email | null): JsonObject => {
  const values = new Map<string, string>();
  for (const { key, value } of (mail?.headers ?? []).slice(0, MAX_HEADERS)) {
    if (key === '__proto__') continue; // no execution may have it as a key
    const before = values.get(key);
    const all = before === undefined ? value : `${before}\n${value}`;
    values.set(key, all.slice(0, MAX_HEADER_LENGTH));
  }
  return Object.fromEntries(values);
};

const toId = (contentId: string | undefined): string | null =>
  contentId === undefined ? null : contentId.replace(/^<|>$/g, '');

/** ISO 8601; null if the server sends no time, or one that is none. */
export const toTime = (time: Date | string | undefined): string | null => {
  const ms = time === undefined ? Number.NaN : new Date(time).getTime();
  return Number.isFinite(ms) ? new Date(ms).toISOString() : null;
};

const attachmentsOf = (part: MessageStructureObject, depth = 0): JsonValue[] => {
  if (depth > LIMITS.maxNestingDepth) return [];
  if (part.childNodes !== undefined && part.type.startsWith('multipart/'))
    return part.childNodes.flatMap((child) => attachmentsOf(child, depth + 1));
  const name = part.dispositionParameters?.filename ?? part.parameters?.name ?? null;
  if (name === null && part.disposition !== 'attachment') return [];
  const about = { name, mediaType: part.type, size: part.size ?? 0 };
  return [{ ...about, isInline: part.disposition === 'inline', contentId: toId(part.id) }];
};

const toProblem = (error: unknown): string =>
  `The mail could not be parsed: ${String((error as Error | null)?.message).slice(0, 200)}`;
