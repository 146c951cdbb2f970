import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { projectRoot, runCommand } from '../../support/run-command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-twice-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What a test does the first time, and passes the second. */
const once = (act: string) => `
  const file = ${JSON.stringify(join(folder, 'tried'))};
  if (!existsSync(file)) { writeFileSync(file, ''); ${act} }`;

/** Runs files with these texts, as `npm run test:deep` runs its own. */
const run = async (files: Record<string, string>) => {
  const config = join(folder, 'jest.config.cjs');
  const settings = {
    testMatch: ['<rootDir>/*.test.mjs'],
    moduleFileExtensions: ['mjs', 'js'],
    transform: {},
    testRunner: join(projectRoot, 'tests/support/runner/native-runner.js'),
  };
  writeFileSync(config, `module.exports = ${JSON.stringify(settings)}`);
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, `${name}.test.mjs`), `${imports}\n${text}`);
  return runCommand('node', ['scripts/second-try/run.ts', '--config', config, '--maxWorkers', '2']);
};

const imports = `import { existsSync, writeFileSync } from 'node:fs'; import { test } from '@jest/globals';`;

const passes = `test('passes', () => {})`;

test('without a failure there is no second try', async () => {
  const { code, stderr } = await run({ a: passes, b: passes });
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/once more|FLAKY|FAILED/);
});

test('a test that fails once is printed as flaky, with its failure', async () => {
  const flaky = `test('is slow', () => {${once("throw new Error('too slow');")}})`;
  const { code, stderr } = await run({ a: flaky, b: passes });
  expect(stderr).toContain('1 files run once more, alone.');
  expect(stderr).toMatch(/^FLAKY {2}.*a\.test\.mjs › is slow\n {2}Error: too slow/m);
  expect(code).toBe(0);
});

test('a test that fails twice is red', async () => {
  const { code, stderr } = await run({
    a: `test('is wrong', () => { throw new Error('wrong'); })`,
    b: passes,
  });
  expect(stderr).toMatch(/^FAILED {2}.*a\.test\.mjs › is wrong\n {2}Error: wrong/m);
  expect(code).toBe(1);
});

test.each([
  ['can’t be loaded', 'throw new Error("not loaded");'],
  ['crashes its process', 'process.exit(3);'],
])('a file that %s is red if it does so again, and flaky otherwise', async (_, act) => {
  const onlyOnce = `${once(act)}\n${passes}`;
  const first = await run({ a: onlyOnce, b: passes });
  expect(first.stderr).toMatch(/^FLAKY {2}.*a\.test\.mjs › the file itself/m);
  expect(first.code).toBe(0);
  const { code } = await run({ a: act, b: passes });
  expect(code).toBe(1);
});
