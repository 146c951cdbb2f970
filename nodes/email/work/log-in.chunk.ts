import { toLoginOptions } from '@hookloom/plugin-kit';
import { readSmtpServer } from './smtp-server.ts';
import { type SessionOptions, withSmtpSession } from './smtp-session.ts';

/**
 * Logs in and out again; apart from what sends, so that a live test does not load what composes mails.
 *
 * @param field - a field of the credential
 * @throws AppError `OUTBOUND_*` or `CREDENTIAL_REJECTED`, NodeError `SmtpError`
 */
export const logInToSmtp = (
  field: (name: string) => string,
  options: Pick<SessionOptions, 'tcp' | 'signal'>,
): Promise<void> => withSmtpSession(readSmtpServer(field), toLoginOptions(options), async () => {});
