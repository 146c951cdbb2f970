import { randomBytes } from 'node:crypto';
import type { Keys } from './door-types.ts';
import type { Identity } from './identities.ts';

interface Entry {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly owner: Identity;
  readonly sessionToken: string | undefined;
  readonly expiresAt: number | undefined;
}

/** The keys issued by the door and their owners. */
interface Keyring {
  /** @param expiresAt - in milliseconds since the epoch; null for keys that are not temporary, and have no token */
  issue(owner: Identity, expiresAt: number | null): Keys;
  find(accessKeyId: string): Entry | null;
}

export const createKeyring = (): Keyring => {
  const entries = new Map<string, Entry>();
  return {
    issue: (owner, expiresAt) => {
      const accessKeyId = `${expiresAt === null ? 'AKIA' : 'ASIA'}${randomBytes(8).toString('hex').toUpperCase()}`;
      const secretAccessKey = randomBytes(30).toString('base64');
      const sessionToken = expiresAt === null ? undefined : randomBytes(60).toString('base64');
      const entry = { accessKeyId, secretAccessKey, sessionToken, owner, expiresAt: expiresAt ?? undefined };
      entries.set(accessKeyId, entry);
      return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
    },
    find: (accessKeyId) => entries.get(accessKeyId) ?? null,
  };
};
