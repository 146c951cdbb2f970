import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { CommandError, usageError } from './command-error.ts';
import type { Io } from './io.ts';
import { callerFolder, projectFolder } from './local/project-folder.ts';

export const addPluginCommands = (program: Command, { io }: CommandContext): void => {
  const plugin = program.command('plugin').description('write and check plugins');

  plugin
    .command('create')
    .description('write a working plugin, with tests')
    .argument('<name>', 'its id, such as acme-chat', readName)
    .option('--dir <folder>', 'folder to write to (default: plugins/NAME)')
    .action((name: string, { dir }: { readonly dir?: string }) => create(name, dir ?? null, io));

  plugin
    .command('check')
    .description('run the contract suite on a plugin and show what an operator would see')
    .argument('<path>', 'its file or folder')
    .option('--json', 'print JSON')
    .action((path: string, { json }: { readonly json?: true }) => check(path, json === true, io));
};

const readName = (name: string): string => {
  if (!isPluginName(name)) {
    throw usageError(
      `${JSON.stringify(name)} is not a plugin name: use at most 40 of a-z 0-9 -, such as acme-chat`,
    );
  }
  return name;
};

const create = async (name: string, dir: string | null, io: Io): Promise<void> => {
  const folder = dir === null ? join(projectFolder(), 'plugins', name) : resolve(callerFolder(io.env), dir);
  const shown = dir ?? `plugins/${name}`;
  if (existsSync(folder)) throw new CommandError(`${shown} already exists.`);
  const files = await createPlugin(name, join(projectFolder(), 'cli/plugin-template'), folder);
  const place = dir === null ? `./${name}/index.ts` : `hookloom-${name}`;
  io.print(`${shown}: ${files.join(', ')}

Test it:     npm test --prefix ${shown}
Check it:    npm run -s cli -- plugin check ${shown}
Install it:  ${dir === null ? '' : `npm install ${dir}, and `}one line in plugins/installed.ts
  unified('${name}', () => import('${place}')),`);
};

/** @throws CommandError with each problem on its own line */
const check = async (path: string, asJson: boolean, io: Io): Promise<void> => {
  const { checkPlugin, findPluginFile } = await import('./plugins/check-plugin.ts');
  const file = findPluginFile(resolve(callerFolder(io.env), path));
  if (file === null) throw new CommandError(`${path}: no such plugin`);
  const findings = await checkPlugin(file);
  const { row, health, nodeTypes } = findings;
  if (asJson) io.print(JSON.stringify(findings, null, 2));
  else {
    const state = row.loaded ? 'loaded' : 'not loaded';
    io.print([row.id, row.type, row.version || '-', row.api, state, health.status].join('\t'));
    for (const { nodeType, isExecuted, checkCount, problems } of nodeTypes) {
      const note = isExecuted ? '' : '; not executed: it has no example without expressions';
      io.print(`  ${nodeType}\t${checkCount - problems.length} of ${checkCount} checks passed${note}`);
    }
  }
  const problems = [
    ...(health.message === undefined ? [] : [`${row.id}: ${health.message}`]),
    ...nodeTypes.flatMap(({ nodeType, problems }) => problems.map((problem) => `${nodeType}: ${problem}`)),
  ];
  if (problems.length > 0) throw new CommandError(problems.join('\n'));
};

/** An unscoped package name, from which node types are named. */
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const MAX_NAME_LENGTH = 40;

const isPluginName = (name: string): boolean => name.length <= MAX_NAME_LENGTH && NAME.test(name);

/**
 * Writes a working plugin.
 *
 * @param template - folder of the template, whose names are replaced
 * @param folder - does not exist yet
 * @returns the names of the files
 */
const createPlugin = async (name: string, template: string, folder: string): Promise<string[]> => {
  await mkdir(folder, { recursive: true });
  const files = (await readdir(template)).sort();
  for (const file of files) {
    const text = await readFile(join(template, file), 'utf8');
    await writeFile(join(folder, file), rename(text, name));
  }
  return files;
};

/** Replaces the template's names in every spelling. */
const rename = (text: string, name: string): string => {
  const words = name.split('-');
  const camelCase = words.map((word, index) => (index === 0 ? word : capitalise(word))).join('');
  const title = [capitalise(words[0] ?? ''), ...words.slice(1)].join(' ');
  return text
    .replaceAll('plugin-template', name)
    .replaceAll('pluginTemplate', camelCase)
    .replaceAll('Plugin template', title);
};

const capitalise = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
