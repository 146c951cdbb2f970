import { expect, test } from '@jest/globals';
import { openUploads } from '../../lib/app/compose/open-features.chunk.ts';
import { readConfig } from '../../lib/app/config.ts';
import { anUpload } from '../support/upload-store-suite.ts';

const GIBIBYTE = 1024 ** 3;
const s3 = { BLOB_BUCKET: 'blobs', AWS_REGION: 'eu-central-1' };

test.each([
  ['the bucket of its region', s3, 'https://blobs.s3.eu-central-1.amazonaws.com'],
  [
    'the origin of China',
    { ...s3, AWS_REGION: 'cn-north-1' },
    'https://blobs.s3.cn-north-1.amazonaws.com.cn',
  ],
  ['this machine', { BLOB_FOLDER: '/x', UPLOAD_ENDPOINT: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1'],
])('files are put into %s', (_case, env, origin) => {
  const { url } = openUploads(readConfig(env)).sign(anUpload(), { from: 0, seconds: 60 });
  expect(url.startsWith(`${origin}/${anUpload().key}?`)).toBe(true);
});

test.each([
  ['as large as all files', {}, GIBIBYTE],
  ['as large as S3 takes at once', { MAX_FILE_BYTES: '50000000000' }, 5 * GIBIBYTE],
])('they are at most %s', (_case, env, maxBytes) => {
  expect(openUploads(readConfig({ ...s3, ...env })).maxBytes).toBe(maxBytes);
});
