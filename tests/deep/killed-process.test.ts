import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import type { BlobStreams } from '../../lib/executions/record/blob-store.ts';
import { startS3Server } from '../support/an-s3-server.ts';
import { filesIn } from '../support/in-memory-files.ts';
import { openStreams } from '../support/open-streams.ts';
import { projectEnvironment, projectRoot } from '../support/run-command.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const places: Record<string, () => Promise<string>> = {
  'a folder': async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hookloom-killed-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    return folder;
  },
  S3: async () => {
    const s3 = await startS3Server();
    cleanups.push(s3.stop);
    return s3.endpoint;
  },
};

const SIZE = 20_000_000; // two parts and a half

const about = { name: 'large', mediaType: 'application/octet-stream' };
const attemptAt = (streams: BlobStreams) =>
  filesIn(streams, { limits: { maxFileBytes: SIZE, maxFiles: 1 } })({ executionId: 'e-1', retryOf: null })(
    'save/0',
    new AbortController().signal,
  );

const megabytes = async function* () {
  for (let at = 0; at < SIZE; at += 1_000_000) yield Buffer.alloc(1_000_000, at);
};

// holds: files-all-or-nothing
test.each(Object.entries(places))(
  'a process killed in the middle of a file leaves none in %s',
  async (_name, open) => {
    const place = await open();
    const script = join(projectRoot, 'tests/support/save-half-a-file.ts');
    const child = spawn('node', [script, place], {
      env: projectEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data'); // it has written half
    child.kill('SIGKILL');
    await once(child, 'exit');
    const streams = openStreams(place);
    expect(await streams.getStream('executions/e-1/files/save/0.1')).toBeNull();

    const files = attemptAt(streams);
    const file = await files.save(megabytes(), about);
    expect(file).toMatchObject({ $file: 'e-1/save/0.1', size: SIZE });
    expect(await buffer(await files.open(file))).toHaveLength(SIZE);
  },
);
