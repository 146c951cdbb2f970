import {
  closed,
  defineAction,
  definePlugin,
  eachOf,
  requireCredential,
  Type,
  takeRole,
} from '@hookloom/plugin-kit';
import { readMessage } from './message.ts';

const mailboxes = (description: string) =>
  Type.Array(Type.String({ holes: 'fail', maxLength: 700, format: 'mailbox', description: 'One address' }), {
    default: [],
    maxItems: 50,
    description,
  });

/** The accepted credential types, by the parameter `via`. */
const CREDENTIALS_VIA: Readonly<Record<string, readonly string[]>> = { smtp: ['smtp'], ses: ['awsRole'] };

export const email = defineAction({
  id: 'email',
  name: 'Send an e-mail',
  description:
    'Sends a mail over SMTP or Amazon SES. Outputs { messageId, accepted, rejected }: a server may reject some recipients, and the node fails if it rejects all of them. Every attempt has the same Message-ID',
  outputs: {
    main: closed({
      messageId: Type.String(),
      accepted: Type.Array(Type.String()),
      rejected: Type.Array(Type.String()),
    }),
  },
  credentials: { types: ['smtp', 'awsRole'], required: ({ via = 'smtp' }) => via === 'smtp' },
  credentialTypesFor: ({ via = 'smtp' }) => CREDENTIALS_VIA[String(via)] ?? ['smtp', 'awsRole'],
  parameters: Type.Object(
    {
      via: Type.Enum(['smtp', 'ses'], {
        default: 'smtp',
        description:
          'smtp: through the server in a credential of the type smtp. ses: through Amazon SES, with the role of the service or of a credential of the type awsRole',
      }),
      from: Type.String({
        holes: 'fail',
        maxLength: 700,
        format: 'mailbox',
        description: 'The sender, as ann@example.com or Ann <ann@example.com>',
      }),
      to: mailboxes(
        'Recipients, each one address: ann@example.com or Ann <ann@example.com>. At most 50 with cc and bcc',
      ),
      cc: mailboxes('Recipients of copies'),
      bcc: mailboxes('Recipients hidden from the others'),
      replyTo: mailboxes('Where replies go; by default the sender'),
      subject: Type.String({ maxLength: 1_000, description: 'One line' }),
      text: Type.Optional(
        Type.String({
          maxLength: 1_000_000,
          description: 'The content as plain text; if there is html, for clients that do not show HTML',
        }),
      ),
      html: Type.Optional(
        Type.String({
          maxLength: 1_000_000,
          description: 'The content as HTML: escape data that you insert',
        }),
      ),
      attachments: Type.Array(Type.Unknown(), {
        default: [],
        maxItems: 50,
        description: 'Files, such as the body of an httpRequest with responseType: file',
      }),
      maxAttachmentBytes: Type.Integer({
        default: 10_000_000,
        minimum: 1,
        maximum: 25_000_000,
        description: 'Maximum total size of all attachments',
      }),
      headers: Type.Record(Type.String(), Type.String({ maxLength: 998 }), {
        holes: 'fail',
        default: {},
        description: 'Further headers, such as List-Unsubscribe',
      }),
      region: Type.Optional(
        Type.String({
          holes: 'fail',
          pattern: '^[a-z0-9-]{1,32}$',
          description: 'Region of SES; the region of the service by default',
        }),
      ),
    },
    { allOf: [{ anyOf: eachOf('to', 'cc', 'bcc') }, { anyOf: eachOf('text', 'html') }] },
  ),
  awsCalls: ({ via, from, region }) =>
    via === 'ses'
      ? [
          {
            service: 'sesv2',
            operation: 'SendEmail',
            input: { FromEmailAddress: from },
            region: region === undefined ? undefined : String(region),
          },
        ]
      : [],
  example: {
    parameters: {
      from: 'Shop <shop@example.com>',
      to: ['{{ customer.email }}'],
      subject: 'Your order {{ orderId }}',
      text: 'Thank you. We will send it today.',
    },
    input: { orderId: 'A-7', customer: { email: 'ann@example.com' } },
    output: {
      messageId: '<3f1c9a0b7d2e4c5f8a6b1d0e9c7f2a4b@example.com>',
      accepted: ['ann@example.com'],
      rejected: [],
    },
  },
  execute: async ({ parameters: { via, region, ...given }, credential, context }) => {
    const message = readMessage(given);
    if (via === 'ses') {
      const role = takeRole(credential, via);
      const { sendBySes } = await import('./ses.chunk.ts');
      return sendBySes(message, { region, credential: role }, context);
    }
    const login = requireCredential(credential, via, 'smtp');
    const { sendBySmtp } = await import('./smtp.chunk.ts');
    return sendBySmtp(message, login, context);
  },
});

/** Mail nodes. The protocols are loaded on use. */
export default definePlugin({
  id: 'email',
  name: 'E-mail',
  version: '1.0.0',
  description: 'Sends mail over SMTP or Amazon SES',
  category: 'communication',
  handles: [email],
});
