import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { domainToASCII } from 'node:url';
import {
  type Files,
  type FileValue,
  isFileValue,
  isToken,
  type JsonValue,
  type NodeContext,
  NodeError,
  wrongParameter,
} from '@hookloom/plugin-kit';
import MailComposer from 'nodemailer/lib/mail-composer';

interface Mailbox {
  /** The display name; empty if there is none. */
  readonly name: string;
  readonly address: string;
}

/** A mail that is safe to write: none of its fields can add a header line or a recipient. */
export type Message = ReturnType<typeof readMessage>;

/** The node's parameters, already checked against their schema. */
interface GivenMessage {
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly replyTo: readonly string[];
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  readonly attachments: readonly JsonValue[];
  readonly maxAttachmentBytes: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Limit of Amazon SES, lower than for most servers. */
const MAX_RECIPIENTS = 50;

/**
 * A mailbox, such as `ann@example.com` or `Ann <ann@example.com>`: one mailbox (RFC 5322 §3.4) without comments and
 * quoted local parts. It can contain neither a second address nor a line break.
 */
const MAILBOX =
  /^(?:(?<name>[^<>\p{Cc}]{0,300})<(?<named>[^\s@<>(),;:"\\[\]\p{Cc}]{1,64}@[^\s@<>(),;:"\\[\]\p{Cc}]{1,255})>|(?<bare>[^\s@<>(),;:"\\[\]\p{Cc}]{1,64}@[^\s@<>(),;:"\\[\]\p{Cc}]{1,255}))$/u;

const CONTROL = /\p{Cc}/u;

/** Tabs are spaces: they come from lines that another mail program has folded (RFC 5322 §2.2.3). */
const replaceTabs = (text: string): string => text.replaceAll('\t', ' ');

/** Headers that follow from the parameters or the message's structure, or that receivers act upon. */
const RESERVED =
  /^(?:from|sender|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*|return-path|received|dkim-signature|x-ses-.*)$/i;

/** @throws NodeError or TypeError with the parameter that can't be part of a mail */
export const readMessage = (given: GivenMessage) => {
  const { text, html } = given;
  const subject = replaceTabs(given.subject);
  const headers = Object.fromEntries(
    Object.entries(given.headers).map(([name, value]) => [name, replaceTabs(value)]),
  );
  const [to, cc, bcc] = [
    toMailboxes('to', given.to),
    toMailboxes('cc', given.cc),
    toMailboxes('bcc', given.bcc),
  ];
  const recipients = to.length + cc.length + bcc.length;
  if (recipients === 0) throw invalidMessage('to, cc and bcc are empty, but a mail needs a recipient');
  if (recipients > MAX_RECIPIENTS)
    throw invalidMessage(
      `to, cc and bcc have ${recipients} recipients; at most ${MAX_RECIPIENTS} are allowed: use a forEach`,
    );
  if (text === undefined && html === undefined)
    throw invalidMessage('text and html are empty, but a mail needs one of them');
  if (CONTROL.test(subject))
    throw invalidMessage('Parameter "subject" must be one line, without control characters');
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
  return {
    from: toMailbox('from', given.from),
    to,
    cc,
    bcc,
    replyTo: toMailboxes('replyTo', given.replyTo),
    subject,
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    attachments: readAttachments(given),
    headers,
  };
};

const toMailboxes = (parameter: string, texts: readonly string[]): Mailbox[] =>
  texts.map((text, index) => toMailbox(`${parameter}[${index}]`, text));

const toMailbox = (place: string, text: string): Mailbox => {
  const { name = '', named, bare } = MAILBOX.exec(replaceTabs(text))?.groups ?? {};
  const address = named ?? bare;
  if (address === undefined)
    throw invalidMessage(
      `Parameter "${place}" must be one address, as ann@example.com or Ann <ann@example.com>`,
    );
  return { name: unquote(name.trim()), address };
};

const unquote = (name: string): string =>
  name.length > 1 && name.startsWith('"') && name.endsWith('"') ? name.slice(1, -1) : name;

const checkHeader = (name: string, value: string): void => {
  const place = `Parameter "headers" has a header ${JSON.stringify(name.slice(0, 100))}`;
  if (!isToken(name)) throw invalidMessage(`${place}, which is not a valid header name`);
  if (RESERVED.test(name)) throw invalidMessage(`${place}, which the service sets itself`);
  if (CONTROL.test(value))
    throw invalidMessage(`${place} whose value has line breaks or other control characters`);
};

const readAttachments = ({ attachments, maxAttachmentBytes }: GivenMessage): FileValue[] => {
  const files = attachments.map((file, index) => {
    const place = `attachments[${index}]`;
    if (!isFileValue(file)) throw wrongParameter(place, 'a file', file);
    const name = replaceTabs(file.name);
    if (CONTROL.test(name) || CONTROL.test(file.mediaType))
      throw invalidMessage(`Parameter "${place}" has a name or media type with control characters`);
    return name === file.name ? file : { ...file, name };
  });
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > maxAttachmentBytes)
    throw invalidMessage(
      `the attachments have ${bytes} bytes; maxAttachmentBytes allows ${maxAttachmentBytes}`,
    );
  return files;
};

const invalidMessage = (message: string): NodeError =>
  new NodeError(message, { name: 'MessageInvalid', isRetryable: false });

/** A mail, encoded as MIME. */
interface Mail {
  /** Id of the message: the same in every attempt, so that a receiver recognises a repeated one. */
  readonly messageId: string;
  readonly sender: string;
  /** The addresses of to, cc and bcc; internationalised domains in ASCII. */
  readonly recipients: readonly string[];
  /** Returns the message without its bcc header as a stream that can be read once, in constant memory. */
  readonly open: () => Readable;
}

export const composeMail = (
  message: Message,
  { services, idempotencyKey }: Pick<NodeContext, 'services' | 'idempotencyKey'>,
): Mail => {
  const { attachments, headers, from, to, cc, bcc, replyTo, ...content } = message;
  const messageId = toMessageId(from, idempotencyKey);
  const root = new MailComposer({
    ...content,
    from: toAddress(from),
    to: to.map(toAddress),
    cc: cc.map(toAddress),
    bcc: bcc.map(toAddress),
    replyTo: replyTo.map(toAddress),
    messageId,
    date: new Date(services.clock.now()),
    headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
    attachments: attachments.map((file) => ({
      filename: file.name,
      contentType: file.mediaType,
      content: Readable.from(readFile(file, services.files)),
    })),
    // Nothing of a workflow names a file of the machine or a URL to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const envelope = root.getEnvelope();
  return {
    messageId,
    sender: envelope.from === false ? '' : envelope.from,
    recipients: envelope.to,
    open: () => root.createReadStream(),
  };
};

const toAddress = ({ name, address }: Mailbox) => ({ name, address });

const toMessageId = ({ address }: Mailbox, idempotencyKey: string): string => {
  const unique = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32);
  const domain = domainToASCII(address.slice(address.lastIndexOf('@') + 1)) || 'localhost';
  return `<${unique}@${domain}>`;
};

/** Wraps a file's error, since the mail library overwrites the code of an error thrown by a stream. */
class AttachmentError extends Error {}

/** The error of a file that could not be read, if that caused the failure. */
export const unwrapAttachmentError = (error: unknown): unknown =>
  error instanceof AttachmentError ? error.cause : error;

const readFile = async function* (file: FileValue, files: Files): AsyncGenerator<Uint8Array> {
  try {
    yield* await files.open(file);
  } catch (error) {
    throw new AttachmentError('the attachment cannot be read', { cause: error });
  }
};
