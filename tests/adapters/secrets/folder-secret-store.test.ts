import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { createFolderSecretStore } from '../../../lib/adapters/secrets/folder-secret-store.ts';
import { describeSecretStore } from '../../support/secret-store-suite.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const aFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-secrets-'));
  folders.push(folder);
  return folder;
};

describeSecretStore('a folder', () => createFolderSecretStore(join(aFolder(), 'secrets')));

test('only the owner can read the files, and nothing else is left in the folder', async () => {
  const folder = join(aFolder(), 'secrets');
  const store = createFolderSecretStore(folder);
  await store.put('crm', 'one');
  await store.put('crm', 'two');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder)).toEqual(['crm']);
  expect(statSync(join(folder, 'crm')).mode & 0o777).toBe(0o600);
});

test('a folder that cannot be written is an outage, and a name cannot leave it', async () => {
  const file = join(aFolder(), 'file');
  writeFileSync(file, '');
  await expect(createFolderSecretStore(file).put('crm', 'x')).rejects.toMatchObject({
    code: 'SECRETS_UNAVAILABLE',
  });
  await expect(createFolderSecretStore(file).put('../crm', 'x')).rejects.toThrow(
    'not the id of a credential',
  );
  expect(() => createFolderSecretStore(file).get('file:../../etc/passwd')).toThrow(
    'not the id of a credential',
  );
});

test('a reference from a stage in AWS has no secret here', async () => {
  expect(await createFolderSecretStore(aFolder()).get('ssm:/hookloom-dev/credentials/crm')).toBeNull();
});
