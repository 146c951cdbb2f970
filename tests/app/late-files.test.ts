import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from '@jest/globals';
import { lateFiles } from '../../lib/app/compose/runs.ts';
import { readConfig } from '../../lib/app/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookloom-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const about = { name: 'a.txt', mediaType: 'text/plain' };
const content = async function* (text: string) {
  yield Buffer.from(text);
};

/** The files of one node run, by the environment of a function. */
const openFiles = (env: Readonly<Record<string, string>>) => {
  const filesFor = lateFiles(readConfig({ BLOB_FOLDER: folder, ...env }), { find: async () => null });
  return filesFor({ executionId: 'e-1', retryOf: null })('node/0', new AbortController().signal);
};

describe('the files of a function', () => {
  test('are in its store, numbered in call order', async () => {
    const files = openFiles({});
    const saved = await Promise.all(['first', 'second'].map((text) => files.save(content(text), about)));
    expect(saved.map(({ $file }) => $file)).toEqual(['e-1/node/0.1', 'e-1/node/0.2']);
    const texts = saved.map(async (file) => (await buffer(await files.open(file))).toString());
    expect(await Promise.all(texts)).toEqual(['first', 'second']);
  });

  test('have the limits of its environment', async () => {
    await expect(openFiles({ MAX_FILE_BYTES: '4' }).save(content('first'), about)).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
    });
    const files = openFiles({ MAX_FILES: '1' });
    await files.save(content('first'), about);
    await expect(files.save(content('second'), about)).rejects.toMatchObject({ code: 'TOO_MANY_FILES' });
  });
});
