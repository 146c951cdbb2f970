import { toLoginOptions } from '@hookloom/plugin-kit';
import { readImapServer, type SessionOptions, withImapSession } from './session.ts';

/**
 * Logs in and out again.
 *
 * @param field - returns a field of the credential
 * @throws AppError `OUTBOUND_*` or `CREDENTIAL_REJECTED`, NodeError `ImapError`
 */
export const logInToImap = (
  field: (name: string) => string,
  options: Pick<SessionOptions, 'tcp' | 'signal'>,
): Promise<void> =>
  withImapSession(readImapServer(field), { ...toLoginOptions(options), maxMailBytes: 0 }, async () => {});
