import { closed, fieldsLike, type JsonObject, like, orNull, Type } from '@hookloom/plugin-kit';

/** The parameters of a trigger that reads a mailbox. */
export const mailParameters = Type.Object({
  mailbox: Type.Optional(
    Type.String({
      holes: 'fail',
      default: 'INBOX',
      minLength: 1,
      maxLength: 200,
      description: 'The mailbox, such as INBOX or Archive/Invoices, with the delimiter of the server',
    }),
  ),
  from: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Only mails whose sender contains this text, in any case',
    }),
  ),
  subject: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Only mails whose subject contains this text, in any case',
    }),
  ),
  unseen: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Only mails that are not marked as seen when the poll finds them',
    }),
  ),
  markSeen: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Mark mails as seen, at the poll after the one that has started their executions',
    }),
  ),
  maxMails: Type.Optional(
    Type.Integer({
      default: 20,
      minimum: 1,
      maximum: 100,
      description: 'How many mails a poll takes, the earliest first. The next poll takes the others',
    }),
  ),
  maxMailBytes: Type.Optional(
    Type.Integer({
      default: 1_000_000,
      minimum: 1_000,
      maximum: 10_000_000,
      description:
        'Of a larger mail, attachments included, only the headers and the list of attachments are read',
    }),
  ),
});

/** What a poll looks for. */
export interface MailQuery {
  readonly mailbox: string;
  readonly from: string | null;
  readonly subject: string | null;
  readonly unseen: boolean;
  readonly markSeen: boolean;
  readonly maxMails: number;
  readonly maxMailBytes: number;
  /** Whether the first poll hands over the mails that are there. */
  readonly isFromFirst: boolean;
}

/** @param parameters - checked against {@link mailParameters} */
export const readMailQuery = (parameters: JsonObject): MailQuery => {
  const textOf = (name: string): string | null => {
    const value = parameters[name];
    return typeof value === 'string' ? value : null;
  };
  const numberOf = (name: string, initial: number): number => {
    const value = parameters[name];
    return typeof value === 'number' ? value : initial;
  };
  return {
    mailbox: textOf('mailbox') ?? 'INBOX',
    from: textOf('from'),
    subject: textOf('subject'),
    unseen: parameters.unseen === true,
    markSeen: parameters.markSeen === true,
    maxMails: numberOf('maxMails', 20),
    maxMailBytes: numberOf('maxMailBytes', 1_000_000),
    isFromFirst: parameters.firstPoll === 'all',
  };
};

/** A mail as the trigger has it, for the reference. */
export const theMail = {
  uid: 17,
  mailbox: 'INBOX',
  uidValidity: '1767225600',
  messageId: '<7f1@shop.example.com>',
  inReplyTo: null,
  date: '2025-12-31T23:58:00.000Z',
  receivedAt: '2025-12-31T23:58:04.000Z',
  from: { name: 'Shop', address: 'billing@shop.example.com' },
  to: [{ name: '', address: 'office@example.com' }],
  cc: [],
  replyTo: [],
  subject: 'Your invoice A-17',
  text: 'Please find the invoice attached.',
  html: null,
  headers: { 'list-id': '<billing.shop.example.com>' },
  flags: [],
  size: 48_213,
  attachments: [
    { name: 'A-17.pdf', mediaType: 'application/pdf', size: 35_000, isInline: false, contentId: null },
  ],
  isComplete: true,
  problem: null,
} satisfies JsonObject;

export const mailSchema = closed({
  ...fieldsLike(theMail),
  from: orNull(like(theMail.from)),
  headers: Type.Record(Type.String(), Type.String()),
});
