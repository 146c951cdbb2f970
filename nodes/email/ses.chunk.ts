import { buffer } from 'node:stream/consumers';
import { fromAttempt, type JsonObject, type LentCredential, type NodeContext } from '@hookloom/plugin-kit';
import { composeMail, type Message, unwrapAttachmentError } from './message.ts';

/**
 * Sends a mail through Amazon SES as MIME, which supports everything that the node can send; the sender is the header
 * From. The output is the same as over SMTP, but SES accepts all recipients or none, and assigns its own message id.
 *
 * @throws NodeError of the AWS client, AppError of a file
 */
export const sendBySes = async (
  message: Message,
  caller: { readonly region: string | undefined; readonly credential: LentCredential | undefined },
  context: NodeContext,
): Promise<JsonObject> => {
  const { recipients, open } = composeMail(message, context);
  const { MessageId: messageId } = await context.services.aws.send({
    service: 'sesv2',
    operation: 'SendEmail',
    input: {
      Destination: { ToAddresses: recipients },
      Content: { Raw: { Data: await readComposed(open()) } },
    },
    ...fromAttempt(context),
    ...caller,
    maxOutputBytes: 65_536,
  });
  return { messageId: String(messageId ?? ''), accepted: recipients, rejected: [] };
};

/** The limits on texts and attachments also limit the size. */
const readComposed = async (
  mail: ReturnType<ReturnType<typeof composeMail>['open']>,
): Promise<Uint8Array> => {
  try {
    return await buffer(mail);
  } catch (error) {
    throw unwrapAttachmentError(error);
  }
};
