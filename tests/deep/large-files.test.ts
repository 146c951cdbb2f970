import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startS3Server } from '../support/an-s3-server.ts';
import { runCommand } from '../support/run-command.ts';

const MEGABYTE = 1_000_000;
/** Half of what 100 MB more would take. */
const MAX_GROWTH_MB = 50;

const megabytes = function* (count: number) {
  for (let at = 0; at < count; at++) yield Buffer.alloc(MEGABYTE, at);
};

/** GET answers with so many MB, PUT with the hash of what it got. */
const outside = createServer(async (request, response) => {
  if (request.method === 'GET') {
    await pipeline(Readable.from(megabytes(Number(request.url?.slice(1)))), response);
    return;
  }
  const hash = createHash('sha256');
  await pipeline(request, hash);
  response.end(hash.digest('hex'));
});

let folder: string;
let s3: Awaited<ReturnType<typeof startS3Server>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-large-'));
  s3 = await startS3Server();
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  s3.stop();
  outside.closeAllConnections();
  outside.close();
});

test.each(['a folder', 'S3'])(
  'a file of 150 MB passes from a download to an upload, through %s, in the memory of one of 50 MB',
  async (store) => {
    const place = store === 'S3' ? s3.endpoint : folder;
    const origin = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
    const script = 'tests/support/move-files.ts';
    const { stdout, stderr } = await runCommand('node', [script, place, origin, '50', '50', '150']);
    expect(stderr).toBe('');
    const moved = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(moved).toMatchObject([50, 50, 150].map((size) => ({ size: size * MEGABYTE, isSame: true })));
    const [, small, large] = moved;
    expect(large.peakMb - small.peakMb).toBeLessThan(MAX_GROWTH_MB);
  },
);
