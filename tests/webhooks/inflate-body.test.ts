import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { aWebhookEvent } from '../support/a-webhook-event.ts';
import { aWebhookService } from '../support/a-webhook-service.ts';

const call = async (encoding: string, bytes: Uint8Array, settings = {}) => {
  const service = await aWebhookService({ settings });
  await service.put();
  return service.call(
    aWebhookEvent({
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      body: Buffer.from(bytes).toString('base64'),
      isBase64Encoded: true,
    }),
  );
};

const json = '{"a":["é"]}';

test.each([
  ['gzip', gzipSync(json)],
  ['X-GZIP', gzipSync(json)],
  [' br ', brotliCompressSync(json)],
  ['deflate', deflateSync(json)],
  ['deflate', deflateRawSync(json)],
  ['identity', Buffer.from(json)],
  ['', Buffer.from(json)],
])('%j is decoded before it is parsed, and the header stays', async (encoding, bytes) => {
  const answer = await call(encoding, bytes);
  expect(bodyOf(answer)).toMatchObject({ body: { a: ['é'] }, headers: { 'content-encoding': encoding } });
});

test.each(['compress', 'gzip, gzip', 'identity, br', 'zstd', '__proto__', 'constructor'])(
  '%j is a 415 with the accepted encodings',
  async (encoding) => {
    const answer = await call(encoding, gzipSync(gzipSync(json)));
    expect(answer).toEqual(aProblem(415, 'body-unsupported'));
    expect(answer.headers).toMatchObject({ 'accept-encoding': 'gzip, br, deflate' });
  },
);

test.each([
  ['gzip', Buffer.from(json)],
  ['gzip', gzipSync(json).subarray(0, -9)],
  ['gzip', gzipSync(json).fill(0, 10)],
  ['br', brotliCompressSync(json).subarray(0, 5)],
  ['br', Buffer.alloc(100, 0xff)],
  ['deflate', deflateSync(json).subarray(0, -6)],
  ['deflate', Buffer.from([0x78])],
])('%s that is broken or truncated is a 400', async (encoding, bytes) => {
  expect(await call(encoding, bytes)).toEqual(aProblem(400, 'body-invalid'));
});

const withMore = (...parts: readonly (Uint8Array | string)[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));

test.each([
  ['gzip', withMore(gzipSync(json), 'more')],
  ['gzip', withMore(gzipSync(json), Buffer.alloc(8))],
  ['gzip', withMore(gzipSync(json), gzipSync('').subarray(0, 5))],
  ['br', withMore(brotliCompressSync(json), 'more')],
  ['br', withMore(brotliCompressSync(json), brotliCompressSync(''))],
  ['deflate', withMore(deflateSync(json), '\0')],
  ['deflate', withMore(deflateSync(json), deflateSync(json))],
  ['deflate', withMore(deflateRawSync(json), 'more')],
])('%s with trailing bytes is a 400', async (encoding, bytes) => {
  const answer = await call(encoding, bytes);
  expect(answer).toEqual(aProblem(400, 'body-invalid'));
  expect(bodyOf(answer).detail).toContain('trailing');
});

test('gzip members are joined (RFC 1952), within the body limit', async () => {
  const members = [json.slice(0, 3), '', json.slice(3)].map((text) => gzipSync(text));
  expect(bodyOf(await call('gzip', withMore(...members)))).toMatchObject({ body: { a: ['é'] } });
  const halves = withMore(gzipSync('1'.padEnd(50)), gzipSync(' '.repeat(50)));
  expect((await call('gzip', halves, { maxBodyBytes: 100 })).statusCode).toBe(200);
  expect(await call('gzip', halves, { maxBodyBytes: 99 })).toEqual(aProblem(413, 'body-too-large'));
});

const zeros = Buffer.alloc(10_000_000);

test.each([
  ['gzip', gzipSync(zeros)],
  ['br', brotliCompressSync(zeros)],
  ['deflate', deflateSync(zeros)],
])('a bomb of %s is a 413', async (encoding, bytes) => {
  expect(bytes.length).toBeLessThan(20_000);
  expect(await call(encoding, bytes)).toEqual(aProblem(413, 'body-too-large'));
});

test('the limit is the body limit, to the byte', async () => {
  const bytes = gzipSync('1'.padEnd(100));
  expect((await call('gzip', bytes, { maxBodyBytes: 100 })).statusCode).toBe(200);
  expect(await call('gzip', bytes, { maxBodyBytes: 99 })).toEqual(aProblem(413, 'body-too-large'));
});
