import type { LentCredential } from '../contract/lent-credential.ts';
import { NodeError } from '../contract/node-error.ts';
import { isServiceError } from '../contract/service-error.ts';

/**
 * Calls a server with a credential. If the server rejects it, calls once more with the currently stored one if that
 * differs, so that a rotation needs no deployment.
 *
 * @param call - throws AppError `CREDENTIAL_REJECTED` if the server rejects the credential
 * @throws NodeError `CredentialRejected` if it rejects both, and whatever `call` throws
 */
export const withRotation = async <Result>(
  credential: LentCredential,
  call: (credential: LentCredential) => Promise<Result>,
): Promise<Result> => {
  try {
    return await call(credential);
  } catch (error) {
    if (!isServiceError(error, 'CREDENTIAL_REJECTED')) throw error;
    const rotated = await credential.refresh();
    if (rotated === null) throw toNodeError(error);
    return call(rotated).catch((second: unknown) => {
      throw toNodeError(second);
    });
  }
};

const toNodeError = (error: unknown): unknown =>
  isServiceError(error, 'CREDENTIAL_REJECTED')
    ? new NodeError(error.message, { name: 'CredentialRejected', isRetryable: false, cause: error })
    : error;
