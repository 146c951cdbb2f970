import { AppError } from '../shared/errors.ts';
import type { Credential, CredentialSecret } from './credential.ts';
import { generateSecret, hashChosen, hashGenerated } from './hash-secret.ts';

/** As many secrets of one credential may be live at once: the one in use, the next one, and some slack. */
const MAX_LIVE_SECRETS = 5;

/** A credential to store, and the secret that was made for it: shown once, kept nowhere. */
export interface WithNewSecret {
  readonly credential: Credential;
  /** Null when it was chosen by a person, who knows it already. */
  readonly newSecret: string | null;
}

interface SecretSource {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A password that a person chose; a secret is generated when it is null. */
  readonly chosen: string | null;
}

/** A new credential with one secret. @param username for `basic`; null for `apiKey` */
export const createCredential = async (
  { id, type, username }: Pick<Credential, 'id' | 'type' | 'username'>,
  source: SecretSource,
): Promise<WithNewSecret> => {
  const { secret, newSecret } = await makeSecret('1', source);
  return { credential: { id, type, username, secrets: [secret], revision: 1 }, newSecret };
};

/**
 * The credential with one more secret; those before stay live until they are revoked.
 * @throws AppError `TOO_MANY_SECRETS`
 */
export const rotateCredential = async (
  credential: Credential,
  source: SecretSource,
): Promise<WithNewSecret> => {
  const { secrets, revision } = credential;
  if (secrets.length >= MAX_LIVE_SECRETS) {
    throw new AppError('TOO_MANY_SECRETS', { credentialId: credential.id, count: secrets.length });
  }
  // Ids are never used twice: they count changes, of which the number only grows.
  const { secret, newSecret } = await makeSecret(String(revision + 1), source);
  return { credential: { ...credential, secrets: [...secrets, secret], revision: revision + 1 }, newSecret };
};

/** The credential without one of its secrets; null when it has no such secret. Without any it lets nobody in. */
export const revokeSecret = (credential: Credential, secretId: string): Credential | null => {
  const secrets = credential.secrets.filter(({ id }) => id !== secretId);
  if (secrets.length === credential.secrets.length) return null;
  return { ...credential, secrets, revision: credential.revision + 1 };
};

/** The credential without any secret: nobody gets in with it any more. */
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
  if (chosen !== null) return { secret: { id, createdAt, hash: await hashChosen(chosen) }, newSecret: null };
  const newSecret = generateSecret();
  return { secret: { id, createdAt, hash: hashGenerated(newSecret) }, newSecret };
};
