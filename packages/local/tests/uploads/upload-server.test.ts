import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createFolderUploadStore } from '../../../../lib/adapters/blobs/folder-blobs.ts';
import { createSignPut } from '../../../../lib/adapters/blobs/presign.ts';
import { aManualClock } from '../../../../tests/support/a-manual-clock.ts';
import { anUpload, describeUploadStore, send } from '../../../../tests/support/upload-store-suite.ts';
import { startUploadServer } from '../../uploads/upload-server.ts';

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

test('refused uploads leave no file behind', async () => {
  const { folder, clock, store } = await aFolder();
  const object = anUpload();
  await send(store.sign(object, { from: clock.now(), seconds: 60 }), 'x'.repeat(object.size));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files).toEqual([]);
});

describe('a presigned request is checked as by S3:', () => {
  const wrong = { status: 400, code: 'AuthorizationQueryParametersError' };
  const scope = 'local/20231114/us-east-1/s3/aws4_request';

  test.each<[string, string, string | null, { status: number; code: string }]>([
    ['no algorithm', 'X-Amz-Algorithm', null, { status: 403, code: 'AccessDenied' }],
    ['another algorithm', 'X-Amz-Algorithm', 'AWS4-ECDSA-P256-SHA256', wrong],
    ['an empty algorithm', 'X-Amz-Algorithm', '', wrong],
    ['no credential', 'X-Amz-Credential', null, wrong],
    ['a credential without a scope', 'X-Amz-Credential', 'local', wrong],
    ['the scope of another day', 'X-Amz-Credential', scope.replace('1114', '1115'), wrong],
    ['the scope of another region', 'X-Amz-Credential', scope.replace('us-east-1', 'eu-west-1'), wrong],
    ['the scope of another service', 'X-Amz-Credential', scope.replace('/s3/', '/sqs/'), wrong],
    ['a scope that does not end', 'X-Amz-Credential', scope.replace('/aws4_request', ''), wrong],
    ['a scope with a further part', 'X-Amz-Credential', `${scope}/more`, wrong],
    [
      'a key that is not known',
      'X-Amz-Credential',
      `other${scope.slice(5)}`,
      { status: 403, code: 'InvalidAccessKeyId' },
    ],
    ['no date', 'X-Amz-Date', null, wrong],
    ['a date that is none', 'X-Amz-Date', '2023-11-14', wrong],
    ['no time', 'X-Amz-Expires', null, wrong],
    ['a time in words', 'X-Amz-Expires', 'soon', wrong],
    ['a time below zero', 'X-Amz-Expires', '-1', wrong],
    ['more than a week', 'X-Amz-Expires', '604801', wrong],
    ['no signed headers', 'X-Amz-SignedHeaders', null, wrong],
    ['no signature', 'X-Amz-Signature', null, wrong],
    ['another signature', 'X-Amz-Signature', 'a'.repeat(64), { status: 403, code: 'SignatureDoesNotMatch' }],
    ['a parameter that was not signed', 'x-id', 'PutObject', { status: 403, code: 'SignatureDoesNotMatch' }],
  ])('%s', async (_case, name, value, { status, code }) => {
    const { clock, store } = await aFolder();
    const object = anUpload();
    const signed = store.sign(object, { from: clock.now(), seconds: 60 });
    const url = new URL(signed.url);
    expect(url.searchParams.get('X-Amz-Credential')).toBe(scope);
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
    const answer = await send({ ...signed, url: url.href });
    expect(answer).toEqual({ status, body: expect.stringContaining(`<Code>${code}</Code>`) });
    expect(await store.findSize(object.key)).toBeNull();
  });

  test('a duplicate parameter', async () => {
    const { clock, store } = await aFolder();
    const signed = store.sign(anUpload(), { from: clock.now(), seconds: 60 });
    const answer = await send({ ...signed, url: `${signed.url}&X-Amz-Algorithm=AWS4-HMAC-SHA256` });
    expect(answer.status).toBe(400);
  });
});
