import { afterEach, expect, test } from '@jest/globals';
import { createAwsCaller } from '../../../lib/adapters/aws/aws-caller.ts';
import { createSignPut } from '../../../lib/adapters/blobs/presign.ts';
import { createS3UploadStore } from '../../../lib/adapters/blobs/s3-blob-store.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { s3Keys, s3Region, startS3Server } from '../../support/an-s3-server.ts';
import { anUpload, describeUploadStore, send } from '../../support/upload-store-suite.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const anS3 = async (spoil?: Parameters<typeof startS3Server>[0]) => {
  const clock = aManualClock();
  const server = await startS3Server(spoil, clock.now);
  stops.push(server.stop);
  const { endpoint } = server;
  const readCredentials = () => s3Keys;
  const call = createAwsCaller({ service: 's3', region: s3Region, endpoint, readCredentials });
  const sign = createSignPut({ origin: endpoint, region: s3Region, readCredentials });
  const store = createS3UploadStore(call, { maxBytes: 1_000, sign });
  const read = async (key: string) => server.objects.get(`/${key}`)?.toString() ?? null;
  return { ...server, clock, store, read };
};

describeUploadStore('S3', anS3);

test('an object is tagged for the lifecycle rule of the bucket until it is kept', async () => {
  const { store, clock, tags } = await anS3();
  const object = anUpload();
  await send(store.sign(object, { from: clock.now(), seconds: 60 }));
  expect(tags.get(`/${object.key}`)).toBe('upload=pending');
  await store.keep(object.key, 4);
  expect(tags.get(`/${object.key}`)).toBe('life=4');
  await store.keep(object.key, null);
  expect(tags.get(`/${object.key}`)).toBe('');
});

test.each(['HEAD', 'DELETE tagging'])('a failing %s makes the store unavailable', async (operation) => {
  const { store } = await anS3((request) => (request.operation === operation ? { status: 403 } : null));
  const calls = { HEAD: () => store.findSize('a'), 'DELETE tagging': () => store.keep('a', null) };
  await expect(calls[operation as keyof typeof calls]()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
});
