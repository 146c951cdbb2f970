import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import { type CommandResult, projectRoot, runCommand } from './run-command.ts';

export interface InstalledFolder {
  readonly folder: string;
  /** The files of the package's tarball. */
  readonly packed: readonly string[];
  /** Runs the command line of the package. */
  hookloom(args: readonly string[], env?: Record<string, string>): Promise<CommandResult>;
}

/** Its program, from the folder. */
export const PROGRAM = 'node_modules/hookloom/bin/hookloom.js';

const succeed = async (command: string, args: readonly string[], cwd: string): Promise<string> => {
  const { code, stdout, stderr } = await runCommand(command, args, { cwd });
  expect({ code, problems: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, problems: '' });
  return stdout;
};

/**
 * A folder outside of the repository that `hookloom init` has begun, with the packages from their tarballs. Their dependencies are
 * linked, since npm would fetch them: those that the package names, and no others.
 *
 * @param work - an empty folder
 * @param template - the file of a released template
 */
export const installFolder = async (work: string, template: string): Promise<InstalledFolder> => {
  const folder = join(work, 'my-automations');
  const modules = join(folder, 'node_modules');
  await succeed('node', ['scripts/build-service-package.ts', template, join(work, 'hookloom')], projectRoot);
  await succeed('node', ['scripts/build-package.ts', 'plugin-kit', join(work, 'kit')], projectRoot);
  let packed: readonly string[] = [];
  for (const [built, name] of [
    ['hookloom', 'hookloom'],
    ['kit', '@hookloom/plugin-kit'],
  ] as const) {
    const tarball = (await succeed('npm', ['pack', '--silent'], join(work, built))).trim();
    const target = join(modules, name);
    mkdirSync(target, { recursive: true });
    const archive = join(work, built, tarball);
    await succeed('tar', ['-xzf', archive, '--strip-components=1', '-C', target], work);
    if (name === 'hookloom') packed = (await succeed('tar', ['-tzf', archive], work)).trim().split('\n');
  }
  const { dependencies, bundleDependencies } = JSON.parse(
    readFileSync(join(modules, 'hookloom/package.json'), 'utf8'),
  );
  const tools = ['typebox', 'typescript', '@types/node', 'undici-types'];
  for (const name of [...Object.keys(dependencies), ...tools]) {
    if (bundleDependencies.includes(name) || name === '@hookloom/plugin-kit') continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(projectRoot, 'node_modules', name), join(modules, name));
  }
  const hookloom: InstalledFolder['hookloom'] = (args, env = {}) =>
    runCommand('node', [join(folder, PROGRAM), ...args], { cwd: folder, env });
  return { folder, packed, hookloom };
};
