import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { projectRoot, runCommand } from '../support/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookloom-install-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** A folder with these files of the project alone. */
const aFolderWith = (...files: readonly string[]): string => {
  const cwd = mkdtempSync(join(folder, 'copy-'));
  for (const file of files) cpSync(join(projectRoot, file), join(cwd, file));
  return cwd;
};

const readJson = (name: string) => JSON.parse(readFileSync(join(projectRoot, name), 'utf8'));

/** Every Node that the command starts says that it is of this version. */
const asNode = (version: string) => ({
  NODE_OPTIONS: `--import "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})"`,
});

describe.each(['start', 'cli', 'stand-in'])('npm run %s', (script) => {
  test('says what to type when the project’s Node.js is not installed', async () => {
    const { code, stdout, stderr } = await runCommand('npm', ['run', '-s', script, '--', '--help'], {
      env: asNode('20.20.2'),
    });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Hookloom needs Node.js 22.18 or newer, but this is 20.20.2: its own Node.js 24 was not installed because ' +
        'install scripts were disabled. Run: npm rebuild node --ignore-scripts=false\n',
    });
  });

  test('says what to type when nothing is installed', async () => {
    const cwd = aFolderWith('package.json', 'packages/local/require-node.js');
    const { code, stdout, stderr } = await runCommand('npm', ['run', '-s', script], { cwd });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: "Hookloom's packages are not installed. Run: npm ci\n",
    });
  });
});

test.each(['22.18.0', '24.0.0'])('Node.js %s is good enough without a local one', async (version) => {
  const { code, stderr } = await runCommand('npm', ['run', '-s', 'cli', '--', '--version'], {
    env: asNode(version),
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('every install script is allowed or denied, so that npm does not ask', () => {
  const { allowScripts } = readJson('package.json');
  const packages: Record<string, { readonly hasInstallScript?: boolean }> =
    readJson('package-lock.json').packages;
  const withScript = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([place]) => place.replace(/^.*node_modules\//, ''));
  expect(Object.keys(allowScripts).sort()).toEqual([...new Set(withScript)].sort());
  expect(allowScripts.node).toBe(true);
});

test('npm does not warn of a package for a newer Node.js than the installing one', async () => {
  const cwd = aFolderWith('.npmrc');
  writeFileSync(join(cwd, 'package.json'), '{"name":"any","version":"1.0.0","engines":{"node":">=99"}}');
  const { code, stderr } = await runCommand('npm', ['install', '--offline', '--no-audit'], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
