import { TOO_MANY_SECRETS } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import type { Credential, CredentialSecret } from './credential.ts';
import { generateSecret, hashGenerated, hashPassword } from './hash-secret.ts';

/** Limit of live secrets per credential: the current one, the next one, and some slack. */
const MAX_LIVE_SECRETS = 5;

/** Of a password that a person chose, in characters. */
export const MIN_PASSWORD_LENGTH = 8;

/** A credential to store, with its new secret, which is shown once and not stored. */
export interface WithNewSecret {
  readonly credential: Credential;
  /** The generated secret; null if a person chose it. */
  readonly newSecret: string | null;
}

interface SecretSource {
  /** The current time in milliseconds since the epoch. */
  readonly now: number;
  /** A password that a person chose; null to generate a secret. */
  readonly chosen: string | null;
}

/** Creates a credential with one secret. */
export const createCredential = async (
  { id, type, username }: Pick<Credential, 'id' | 'type' | 'username'>,
  source: SecretSource,
): Promise<WithNewSecret> => {
  const { secret, newSecret } = await makeSecret('1', source);
  return { credential: { id, type, username, secrets: [secret], revision: 1 }, newSecret };
};

/**
 * Returns the credential with one more secret; the others stay live until they are revoked.
 * @throws AppError `TOO_MANY_SECRETS` when it already has {@link MAX_LIVE_SECRETS}
 */
export const rotateCredential = async (
  credential: Credential,
  source: SecretSource,
): Promise<WithNewSecret> => {
  const { secrets, revision } = credential;
  if (secrets.length >= MAX_LIVE_SECRETS) {
    throw new AppError(TOO_MANY_SECRETS, { credentialId: credential.id, count: secrets.length });
  }
  // The revision only increases, so no id is used twice.
  const { secret, newSecret } = await makeSecret(String(revision + 1), source);
  return { credential: { ...credential, secrets: [...secrets, secret], revision: revision + 1 }, newSecret };
};

/**
 * Returns the credential without one of its secrets; null if it has no such secret. A credential without secrets
 * matches nothing.
 */
export const revokeSecret = (credential: Credential, secretId: string): Credential | null => {
  const secrets = credential.secrets.filter(({ id }) => id !== secretId);
  if (secrets.length === credential.secrets.length) return null;
  return { ...credential, secrets, revision: credential.revision + 1 };
};

/** Returns the credential without secrets: it no longer matches anything. */
export const revokeAll = (credential: Credential): Credential => ({
  ...credential,
  secrets: [],
  revision: credential.revision + 1,
});

const makeSecret = async (
  id: string,
  { now, chosen }: SecretSource,
): Promise<{ readonly secret: CredentialSecret; readonly newSecret: string | null }> => {
  const createdAt = new Date(now).toISOString();
  if (chosen !== null)
    return { secret: { id, createdAt, hash: await hashPassword(chosen) }, newSecret: null };
  const newSecret = generateSecret();
  return { secret: { id, createdAt, hash: hashGenerated(newSecret) }, newSecret };
};
