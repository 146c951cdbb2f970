import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { domainToASCII } from 'node:url';
import type { Files, FileValue, NodeContext } from '@hookloom/plugin-kit';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { Mailbox, Message } from './message.ts';

/** A mail in MIME. */
interface Mail {
  /** The same in every attempt, so that a receiver recognises a repeated one. */
  readonly messageId: string;
  readonly sender: string;
  /** Of to, cc and bcc; internationalised domains in ASCII. */
  readonly recipients: readonly string[];
  /** The message without its bcc; to be read once, in constant memory. */
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

/** Around an error of a file, since the mail library writes its own code to what a stream throws. */
class AttachmentError extends Error {}

/** The error of a file that could not be read, when that is what failed. */
export const unwrapAttachmentError = (error: unknown): unknown =>
  error instanceof AttachmentError ? error.cause : error;

const readFile = async function* (file: FileValue, files: Files): AsyncGenerator<Uint8Array> {
  try {
    yield* await files.open(file);
  } catch (error) {
    throw new AttachmentError('the attachment can not be read', { cause: error });
  }
};
