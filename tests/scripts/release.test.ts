import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { projectRoot } from '../support/run-command.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const CHANGELOG = '# Changelog\n\n## Unreleased\n\n### Fixed\n\n- A fault.\n\n## 0.3.0 - 2026-11-01\n';

const PAGE = `aws s3 cp functions s3://BUCKET/hookloom/0.3.0/
npx --package=./hookloom-0.3.0.tgz --package=./hookloom-plugin-kit-0.3.0.tgz
version 0.3.0+1a2b3c4
From 0.3.0 on, each release has a tag.
`;

/** A clone of a small project. */
const aProject = (changelog = CHANGELOG) => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-release-'));
  folders.push(folder);
  const files = {
    'package.json': { name: 'hookloom', version: '0.3.0' },
    'packages/console/package.json': { name: 'hookloom-console', version: '0.3.0' },
    'packages/one/package.json': { name: '@hookloom/one', version: '0.3.0' },
    'packages/two/package.json': {
      name: '@hookloom/two',
      version: '0.3.0',
      dependencies: { '@hookloom/one': '0.3.0', '@hookloom/plugin-kit': '0.3.0', yaml: '0.3.0' },
    },
    'packages/plugin-kit/package.json': { name: '@hookloom/plugin-kit', version: '0.3.0' },
    'package-lock.json': {
      version: '0.3.0',
      packages: {
        '': { version: '0.3.0' },
        'node_modules/yaml': { version: '0.3.0' },
        'node_modules/@hookloom/one': { resolved: 'packages/one', link: true },
        'packages/one': { version: '0.3.0' },
        'packages/plugin-kit': { version: '0.3.0' },
      },
    },
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify(content));
  }
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs/deploying.md'), PAGE);
  const git = (...parameters: readonly string[]) =>
    execFileSync('git', parameters, { cwd: folder, encoding: 'utf8' }).trim();
  git('init', '--quiet');
  git('config', 'user.name', 'a');
  git('config', 'user.email', 'a@b.example');
  git('add', '.');
  git('commit', '--quiet', '--message', 'first');
  const release = (...parameters: readonly string[]) =>
    spawnSync(process.execPath, [join(projectRoot, 'scripts/release.ts'), ...parameters], {
      cwd: folder,
      encoding: 'utf8',
    });
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  return { folder, git, release, read, json: (path: string) => JSON.parse(read(path)) };
};

test('a release sets the version of all packages but the kit, dates the changelog, and is tagged', () => {
  const { git, release, read, json } = aProject();
  const { status, stdout } = release('0.4.0', '--date', '2026-12-01');
  expect([status, stdout]).toEqual([
    0,
    expect.stringContaining(`v0.4.0 is ${git('rev-parse', '--short=7', 'HEAD')}`),
  ]);
  const versions = [
    'package.json',
    'packages/console/package.json',
    'packages/two/package.json',
    'packages/plugin-kit/package.json',
  ];
  expect(versions.map((path) => json(path).version)).toEqual(['0.4.0', '0.4.0', '0.4.0', '0.3.0']);
  expect(json('packages/two/package.json').dependencies).toEqual({
    '@hookloom/one': '0.4.0',
    '@hookloom/plugin-kit': '0.3.0',
    yaml: '0.3.0',
  });
  expect(json('package-lock.json')).toEqual({
    version: '0.4.0',
    packages: {
      '': { version: '0.4.0' },
      'node_modules/yaml': { version: '0.3.0' },
      'node_modules/@hookloom/one': { resolved: 'packages/one', link: true },
      'packages/one': { version: '0.4.0' },
      'packages/plugin-kit': { version: '0.3.0' },
    },
  });
  expect(read('CHANGELOG.md')).toBe(
    CHANGELOG.replace('## Unreleased\n', '## Unreleased\n\n## 0.4.0 - 2026-12-01\n'),
  );
  expect(read('docs/deploying.md')).toBe(`aws s3 cp functions s3://BUCKET/hookloom/0.4.0/
npx --package=./hookloom-0.4.0.tgz --package=./hookloom-plugin-kit-0.3.0.tgz
version 0.4.0+1a2b3c4
From 0.3.0 on, each release has a tag.
`);
  expect(git('describe')).toBe('v0.4.0');
  expect(git('status', '--porcelain')).toBe('');
});

test.each([
  ['without a version', [], /^Name the version/],
  ['with a malformed version', ['1.0'], /^Name the version/],
])('a release %s is refused', (_what, parameters, message) => {
  const { git, release } = aProject();
  expect(release(...parameters)).toMatchObject({ status: 1, stderr: expect.stringMatching(message) });
  expect(git('tag')).toBe('');
});

test('a release with changes outside of commits, with an existing tag, or without changes in the changelog is refused', () => {
  const dirty = aProject();
  writeFileSync(join(dirty.folder, 'new'), '');
  expect(dirty.release('0.4.0').stderr).toMatch(/^There are changes that are in no commit/);
  const tagged = aProject();
  tagged.git('tag', 'v0.4.0');
  expect(tagged.release('0.4.0').stderr).toMatch(/^The tag v0\.4\.0 exists/);
  const unchanged = aProject('# Changelog\n\n## Unreleased\n\n## 0.3.0 - 2026-11-01\n');
  expect(unchanged.release('0.4.0').stderr).toMatch(/nothing below "## Unreleased"/);
  expect(unchanged.git('tag')).toBe('');
});
