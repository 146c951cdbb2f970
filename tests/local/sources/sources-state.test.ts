import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { openSourcesStore } from 'lambda-stage/sources';
import { OLDEST_VERSION, SCHEMA_VERSION } from '../../../lib/adapters/dynamodb/schema/schema.ts';
import { FILE_VERSIONS } from '../../../local/sources/start-sources.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const aFile = (content: object): string => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-sources-'));
  folders.push(folder);
  const file = join(folder, 'sources.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
};

test.each([{}, { schema: OLDEST_VERSION }, { schema: SCHEMA_VERSION }])(
  'a file that says %j is read and written in the current version',
  (said) => {
    const file = aFile({ ...said, queues: [['orders', []]] });
    const { state, save } = openSourcesStore(file, FILE_VERSIONS);
    expect([...state.queues]).toEqual([['orders', []]]);
    save();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      schema: SCHEMA_VERSION,
      queues: [['orders', []]],
    });
  },
);

test.each([OLDEST_VERSION - 1, SCHEMA_VERSION + 1])(
  'a file of version %i is refused with what to do',
  (schema) => {
    expect(() => openSourcesStore(aFile({ schema }), FILE_VERSIONS)).toThrow(
      /has schema version \d; this release reads versions \d to \d\. Start the release that created it/,
    );
  },
);

test('a file with messages is for its user alone', () => {
  const file = aFile({});
  openSourcesStore(file).save();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
