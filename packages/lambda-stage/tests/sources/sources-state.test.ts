import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { openSourcesStore } from '../../src/sources/sources-state.ts';

const versions = { oldest: 2, newest: 5 };

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const aFile = (content: object): string => {
  const folder = mkdtempSync(join(tmpdir(), 'stage-sources-'));
  folders.push(folder);
  const file = join(folder, 'sources.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
};

test.each([{}, { schema: versions.oldest }, { schema: versions.newest }])(
  'a file that says %j is read and written in the current version',
  (said) => {
    const file = aFile({ ...said, queues: [['orders', []]] });
    const { state, save } = openSourcesStore(file, versions);
    expect([...state.queues]).toEqual([['orders', []]]);
    save();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      schema: versions.newest,
      queues: [['orders', []]],
    });
  },
);

test.each([versions.oldest - 1, versions.newest + 1])(
  'a file of version %i is refused with what to do',
  (schema) => {
    expect(() => openSourcesStore(aFile({ schema }), versions)).toThrow(
      /has schema version \d; this release reads versions \d to \d\. Start the release that created it/,
    );
  },
);

test('a file with messages is for its user alone', () => {
  const file = aFile({});
  openSourcesStore(file).save();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
