import { type JsonObject, type LentCredential, type NodeContext, withRotation } from '@hookloom/plugin-kit';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { composeMail, unwrapAttachmentError } from './compose-mail.ts';
import type { Message } from './message.ts';
import { toRejected } from './smtp-error.ts';
import { readSmtpServer } from './smtp-server.ts';
import { toSessionOptions, withSmtpSession } from './smtp-session.ts';

/**
 * Sends a mail over SMTP (RFC 5321). Output: `{ messageId, accepted, rejected: [{ address, response }] }`.
 *
 * @throws NodeError `SmtpError` or `CredentialRejected`, AppError `OUTBOUND_*` or that of a file
 */
export const sendBySmtp = async (
  message: Message,
  credential: LentCredential,
  context: NodeContext,
): Promise<JsonObject> =>
  withRotation(credential, (current) =>
    withSmtpSession(
      readSmtpServer((name) => current.field(name)),
      toSessionOptions(context),
      (connection) => transmit(connection, message, context),
    ),
  );

const transmit = async (
  connection: SMTPConnection,
  message: Message,
  context: NodeContext,
): Promise<JsonObject> => {
  const { messageId, sender, recipients, open } = composeMail(message, context);
  const info = await new Promise<SMTPConnection.SentMessageInfo>((resolve, reject) => {
    connection.send({ from: sender, to: [...recipients] }, open(), (error, sent) =>
      error ? reject(unwrapAttachmentError(error)) : resolve(sent),
    );
  });
  return { messageId, accepted: info.accepted, rejected: (info.rejectedErrors ?? []).map(toRejected) };
};
