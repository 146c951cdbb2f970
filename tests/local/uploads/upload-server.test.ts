import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { createFolderUploadStore } from '../../../lib/adapters/blobs/folder-upload-store.ts';
import { createSignPut } from '../../../lib/adapters/blobs/sign-put.ts';
import { startUploadServer } from '../../../local/uploads/upload-server.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { anUpload, describeUploadStore, send } from '../../support/upload-store-suite.ts';

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const aFolder = async () => {
  const clock = aManualClock();
  const folder = mkdtempSync(join(tmpdir(), 'uploads-'));
  const signer = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  const server = await startUploadServer({ folder, ...signer, now: clock.now });
  stops.push(server.stop, () => rmSync(folder, { recursive: true, force: true }));
  const readCredentials = () => signer.credentials;
  const sign = createSignPut({ origin: server.endpoint, region: signer.region, readCredentials });
  const store = createFolderUploadStore(folder, { maxBytes: 1_000, sign });
  const read = (key: string) => readFile(join(folder, key), 'utf8').catch(() => null);
  return { folder, clock, store, read };
};

describeUploadStore('a folder', aFolder);

test('what is refused leaves no file behind', async () => {
  const { folder, clock, store } = await aFolder();
  const object = anUpload();
  await send(store.sign(object, { from: clock.now(), seconds: 60 }), 'x'.repeat(object.size));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files).toEqual([]);
});
