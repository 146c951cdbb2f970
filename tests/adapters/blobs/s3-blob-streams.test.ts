import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createAwsCaller } from '../../../lib/adapters/aws/aws-caller.ts';
import { createS3BlobStreams } from '../../../lib/adapters/blobs/s3-blob-streams.ts';
import { startS3Server } from '../../support/an-s3-server.ts';
import { describeBlobStreams, readBlob, someContent } from '../../support/blob-streams-suite.ts';

const PART_BYTES = 10_000;

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const anS3 = async (spoil?: Parameters<typeof startS3Server>[0]) => {
  const server = await startS3Server(spoil);
  stops.push(server.stop);
  const readCredentials = () => ({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret-key' });
  const { endpoint } = server;
  const call = createAwsCaller({ service: 's3', region: 'eu-west-1', endpoint, readCredentials });
  return { ...server, streams: createS3BlobStreams(call, PART_BYTES) };
};

const operationsOf = ({ requests }: Awaited<ReturnType<typeof anS3>>) =>
  requests.map(({ operation }) => operation);

describeBlobStreams('S3', async () => (await anS3()).streams, PART_BYTES);

const unavailable = { code: 'STORE_UNAVAILABLE' };

describe('S3', () => {
  test('stores what fits into a part with one request', async () => {
    const s3 = await anS3();
    await s3.streams.putStream('a/b', someContent(PART_BYTES - 1));
    expect(operationsOf(s3)).toEqual(['PUT']);
  });

  test('stores larger content in parts, and leaves no upload open', async () => {
    const s3 = await anS3();
    await s3.streams.putStream('a/b', someContent(2 * PART_BYTES + 1));
    expect(operationsOf(s3)).toEqual(['POST uploads', 'PUT part', 'PUT part', 'PUT part', 'POST complete']);
    expect(s3.requests.map(({ body }) => body.length).slice(1, 4)).toEqual([PART_BYTES, PART_BYTES, 1]);
    expect(s3.uploads.size).toBe(0);
  });

  test.each([PART_BYTES - 1, 2 * PART_BYTES])(
    'tags an object of %d bytes with its lifetime',
    async (size) => {
      const s3 = await anS3();
      await s3.streams.putStream('a/b', someContent(size), 4);
      expect(s3.tags.get('/a/b')).toBe('life=4');
      await s3.streams.putStream('a/b', someContent(size));
      expect(s3.tags.get('/a/b')).toBe('');
    },
  );

  test.each([
    ['a part', 'PUT part'],
    ['the start of an upload', 'POST uploads'],
    ['an object', 'PUT'],
  ])('is sent %s again after a broken connection', async (_what, operation) => {
    let failures = 0;
    const s3 = await anS3((request) =>
      request.operation === operation && failures++ === 0 ? 'reset' : null,
    );
    const size = operation === 'PUT' ? 5 : 2 * PART_BYTES;
    await s3.streams.putStream('a', someContent(size));
    expect(s3.objects.get('/a')).toHaveLength(size);
  });

  test.each([
    ['refuses a part', 'PUT part', { status: 403 }],
    ['gives a part no tag', 'PUT part', { status: 200 }],
    ['refuses to complete it', 'POST complete', { status: 400 }],
    [
      'says 200, and then that it failed',
      'POST complete',
      { status: 200, body: '<Error><Code>InternalError</Code></Error>' },
    ],
  ])('that %s creates no object, and its parts are deleted', async (_case, operation, reply) => {
    const s3 = await anS3((request) => (request.operation === operation ? reply : null));
    await expect(s3.streams.putStream('a', someContent(2 * PART_BYTES))).rejects.toMatchObject(unavailable);
    expect(s3.objects.size).toBe(0);
    expect(s3.uploads.size).toBe(0);
  });

  test('that returns no upload id is unavailable', async () => {
    const s3 = await anS3(({ operation }) =>
      operation === 'POST uploads' ? { status: 200, body: '<a/>' } : null,
    );
    await expect(s3.streams.putStream('a', someContent(PART_BYTES))).rejects.toMatchObject(unavailable);
  });

  test('that refuses to delete the parts does not hide why the upload failed', async () => {
    const s3 = await anS3(({ operation }) => (operation === 'DELETE' ? { status: 403 } : null));
    const breaking = async function* () {
      yield* someContent(PART_BYTES);
      throw new Error('the source broke');
    };
    await expect(s3.streams.putStream('a', breaking())).rejects.toThrow('the source broke');
  });

  test('without the bucket stores nothing', async () => {
    const s3 = await anS3(() => ({ status: 404 }));
    await expect(s3.streams.putStream('a', someContent(1))).rejects.toMatchObject(unavailable);
  });

  test('reads one version of an object, or fails', async () => {
    const s3 = await anS3();
    await s3.streams.putStream('a', someContent(2 * PART_BYTES));
    const content = await s3.streams.getStream('a');
    s3.objects.set('/a', Buffer.alloc(2 * PART_BYTES));
    await expect(buffer(content ?? someContent(0))).rejects.toMatchObject(unavailable);
  });

  test('that ends early does not leave a reader waiting forever', async () => {
    const s3 = await anS3(({ operation, headers }) =>
      operation === 'GET' && headers['if-match'] !== undefined ? { status: 206 } : null,
    );
    await s3.streams.putStream('a', someContent(2 * PART_BYTES));
    await expect(readBlob(s3.streams, 'a')).rejects.toMatchObject(unavailable);
  });

  test('sends no more than is read', async () => {
    const s3 = await anS3();
    await s3.streams.putStream('a', someContent(5 * PART_BYTES));
    for await (const _part of (await s3.streams.getStream('a')) ?? someContent(0)) break;
    expect(operationsOf(s3).filter((operation) => operation === 'GET')).toHaveLength(1);
  });
});
