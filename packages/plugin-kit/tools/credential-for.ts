import type { LentCredential } from '../contract/lent-credential.ts';
import { NodeError } from '../contract/node-error.ts';

/**
 * The credential of a node whose parameter `via` determines the type.
 *
 * @throws NodeError if there is none, or it has a different type
 */
export const requireCredential = (
  credential: LentCredential | null,
  via: string,
  type: string,
): LentCredential => {
  if (credential?.type === type) return credential;
  throw wrongCredential(`via: ${via} needs a credential of the type ${type} in credentialId`);
};

/**
 * Like {@link requireCredential}, but the credential is optional, since the service's own role is used without one.
 * @throws NodeError if it has a different type
 */
export const takeRole = (credential: LentCredential | null, via: string): LentCredential | undefined => {
  if (credential === null) return undefined;
  if (credential.type === 'awsRole') return credential;
  throw wrongCredential(`via: ${via} takes a credential of the type awsRole, or none`);
};

const wrongCredential = (message: string): NodeError =>
  new NodeError(message, { name: 'CredentialUnusable', isRetryable: false });
