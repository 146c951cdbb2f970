import { describe, expect, test } from '@jest/globals';
import {
  createCredential,
  revokeAll,
  revokeSecret,
  rotateCredential,
} from '../../lib/credentials/create-credential.ts';
import { verify } from '../../lib/credentials/verify.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const generated = { now: NOW, chosen: null };
const anApiKey = () => createCredential({ id: 'key', type: 'apiKey', username: null }, generated);
const lets = async (credential: Parameters<typeof verify>[0], secret: string | null) =>
  (await verify(credential, { username: credential.username, secret: secret ?? '' })) !== null;

describe('a credential', () => {
  // holds: only-hashes-stored
  test('has one secret, which is shown once and stored as a hash', async () => {
    const { credential, newSecret } = await anApiKey();
    expect(newSecret).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(credential)).not.toContain(newSecret);
    expect(credential).toMatchObject({
      revision: 1,
      secrets: [{ id: '1', createdAt: '2026-11-20T12:00:00.000Z' }],
    });
    expect(await lets(credential, newSecret)).toBe(true);
  });

  test('may have a chosen password, which is not shown', async () => {
    const chosen = 'correct horse battery staple';
    const { credential, newSecret } = await createCredential(
      { id: 'b', type: 'basic', username: 'ann' },
      { now: NOW, chosen },
    );
    expect(newSecret).toBeNull();
    expect(credential.secrets[0]?.hash.algorithm).toBe('scrypt');
    expect(await lets(credential, chosen)).toBe(true);
  });

  // holds: revoked-secrets-end
  test('that is rotated accepts both secrets until the first is revoked', async () => {
    const first = await anApiKey();
    const second = await rotateCredential(first.credential, generated);
    expect(second.credential.revision).toBe(2);
    expect(await lets(second.credential, first.newSecret)).toBe(true);
    expect(await lets(second.credential, second.newSecret)).toBe(true);
    const revoked = revokeSecret(second.credential, '1');
    if (revoked === null) throw new Error('it had that secret');
    expect(revoked.revision).toBe(3);
    expect(await lets(revoked, first.newSecret)).toBe(false);
    expect(await lets(revoked, second.newSecret)).toBe(true);
  });

  test('never reuses the id of a secret', async () => {
    const { credential } = await anApiKey();
    const { credential: two } = await rotateCredential(credential, generated);
    const back = revokeSecret(two, '2');
    if (back === null) throw new Error('it had that secret');
    const { credential: again } = await rotateCredential(back, generated);
    expect(again.secrets.map(({ id }) => id)).toEqual(['1', '4']);
  });

  test('has at most five live secrets', async () => {
    let { credential } = await anApiKey();
    for (let count = 1; count < 5; count++) ({ credential } = await rotateCredential(credential, generated));
    await expect(rotateCredential(credential, generated)).rejects.toThrow(
      'key has 5 live secrets; revoke one first',
    );
  });

  test('accepts no caller without a secret, and refuses to revoke an unknown one', async () => {
    const { credential, newSecret } = await anApiKey();
    expect(revokeSecret(credential, '9')).toBeNull();
    expect(revokeAll(credential)).toMatchObject({ secrets: [], revision: 2 });
    expect(await lets(revokeAll(credential), newSecret)).toBe(false);
  });
});
