import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { readCommit, toBuildVersion } from '../../resources/version.ts';
import { aFramework } from '../support/a-framework.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const aFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-version-'));
  folders.push(folder);
  return folder;
};

const git = (folder: string, ...parameters: readonly string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b.example', ...parameters], {
    encoding: 'utf8',
  }).trim();

/** A clone with one commit. */
const aClone = () => {
  const folder = aFolder();
  git(folder, 'init', '--quiet');
  writeFileSync(join(folder, 'a'), '1');
  git(folder, 'add', 'a');
  git(folder, 'commit', '--quiet', '--message', 'first');
  return { folder, commit: git(folder, 'rev-parse', '--short=7', 'HEAD') };
};

describe('the commit of what is deployed', () => {
  test('is the last one of the clone, also beside a tag, and says if files differ from it', () => {
    const { folder, commit } = aClone();
    git(folder, 'tag', '--annotate', 'v0.1.0', '--message', 'v0.1.0');
    expect(readCommit(folder)).toBe(commit);
    writeFileSync(join(folder, 'a'), '2');
    expect(readCommit(folder)).toBe(`${commit}-dirty`);
  });

  test('is none in an unpacked archive, also within another clone, and in a clone without commits', () => {
    expect(readCommit(aFolder())).toBeNull();
    const within = join(aClone().folder, 'archive');
    mkdirSync(within);
    expect(readCommit(within)).toBeNull();
    const empty = aFolder();
    git(empty, 'init', '--quiet');
    expect(readCommit(empty)).toBeNull();
    expect(readCommit(join(empty, 'missing'))).toBeNull();
  });

  test('stands beside the version in the environment of every function', () => {
    expect(toBuildVersion('0.3.0', null)).toBe('0.3.0');
    expect(toBuildVersion('0.3.0', '1a2b3c4')).toBe('0.3.0+1a2b3c4');
    const { service, initialize } = aFramework({});
    initialize();
    expect(service.provider.environment.SERVICE_VERSION).toMatch(/^1\.2\.3(\+[0-9a-f]{7,}(-dirty)?)?$/);
  });
});
