import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { applyEdits, modify } from 'jsonc-parser';
import type { PluginSummary } from '../../lib/plugins/summaries.ts';
import type { DisabledPlugin } from '../../lib/shared/settings/settings.ts';
import type { AdminApi } from './admin-api.ts';
import { addTo, type CommandContext } from './command.ts';
import { CommandError, usageError } from './command-error.ts';
import { type Io, printJson } from './io.ts';
import { callerFolder, FOLDER_FILE, homeFolder, programName, projectFolder } from './local/project-folder.ts';
import { JSON_OUTPUT } from './read-arguments.ts';
import { printTable } from './table.ts';

export const addPluginCommands = (program: Command, context: CommandContext): void => {
  const group = program
    .command('plugin')
    .description('write and check plugins; list, disable and enable those of a stage');
  const add = addTo(group, context);

  add('list', {
    about: 'list the plugins that a stage has, and whether they can be used',
    options: [JSON_OUTPUT],
    examples: ['plugin list'],
    run: async ({ io, target }, { json }) => {
      const plugins = await listPlugins(target.api);
      if (json === true) return printJson({ plugins }, io);
      const rows = plugins.map(({ id, api, version, state, reason }) => [
        id,
        api,
        version || '-',
        state,
        reason ?? '-',
      ]);
      printTable({ titles: ['ID', 'API', 'VERSION', 'STATE', 'REASON'], rows, texts: ['REASON'] }, io);
    },
  });

  add('disable', {
    about: 'stop all use of a plugin on a stage, within seconds and without a deployment',
    arguments: [PLUGIN],
    options: [['--message <text>', 'why, for those who see the failures']],
    examples: ['plugin disable slack --message "tokens leaked"'],
    run: async (id, { io, target }, { message }) => {
      const query = { message };
      const { changed, users } = await target.api.call<Switched>('POST', pluginPath(id, 'disable'), {
        query,
      });
      io.print(`${id}: ${changed ? 'disabled' : 'was disabled already'}`);
      if (users.length > 0) io.note(`These fail until it is enabled:\n${users.join('\n')}`);
    },
  });

  add('enable', {
    about: 'allow the use of a plugin that was disabled on a stage',
    arguments: [PLUGIN],
    examples: ['plugin enable slack'],
    run: async (id, { io, target }) => {
      const { changed } = await target.api.call<Omit<Switched, 'users'>>('POST', pluginPath(id, 'enable'));
      io.print(`${id}: ${changed ? 'enabled' : 'was not disabled'}`);
    },
  });

  add('create', {
    about: 'write a working plugin, with tests',
    arguments: [['<name>', 'its id, such as acme-chat', readPluginName]],
    options: [
      [
        '--dir <folder>',
        'folder to write to (default: plugins/NAME beside hookloom.json, nodes/NAME in a clone)',
      ],
    ],
    examples: ['plugin create acme-chat'],
    isOffline: true,
    failed: 'the folder exists already',
    runHere: (name, { io }, { dir }) => createPlugin(name, dir, io),
  });

  add('check', {
    about: 'run the contract suite on a plugin and show what an operator would see',
    arguments: [['<path>', 'its file or folder']],
    options: [JSON_OUTPUT],
    examples: ['plugin check packages/cli/plugin-template'],
    isOffline: true,
    failed: 'not found, or a check failed',
    runHere: (path, { io }, { json }) => printPluginCheck(path, json === true, io),
  });
};

const PLUGIN = ['<id>', 'id of the plugin'] as const;

interface Switched {
  readonly changed: boolean;
  readonly users: readonly string[];
}

const pluginPath = (id: string, action: 'disable' | 'enable'): string =>
  `/api/admin/plugins/${encodeURIComponent(id)}/${action}`;

/** The plugins with what the stage's settings say of them. */
const listPlugins = async (api: AdminApi) => {
  const [{ plugins }, { plugins: disabled }] = await Promise.all([
    api.call<{ readonly plugins: readonly PluginSummary[] }>('GET', '/api/admin/plugins'),
    api.call<{ readonly plugins: readonly DisabledPlugin[] }>('GET', '/api/admin/plugins/disabled'),
  ]);
  return plugins.map(({ id, api: kind, version, loaded, error = null }) => {
    const setting = disabled.find((other) => other.id === id);
    const state = setting !== undefined ? 'disabled' : loaded ? 'loaded' : 'not loaded';
    const reason = setting === undefined ? error : `since ${setting.disabledAt}: ${setting.message ?? '-'}`;
    return { id, api: kind, version, state, reason, disabledBy: setting?.disabledBy ?? null };
  });
};

/** An unscoped package name, from which node types are named. */
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

const readPluginName = (name: string): string => {
  if (name.length > 40 || !NAME.test(name))
    throw usageError(
      `${JSON.stringify(name)} is not a plugin name: use at most 40 of a-z 0-9 -, such as acme-chat`,
    );
  return name;
};

/** In a folder of one's own, the plugin is named in its hookloom.json, too. */
const createPlugin = async (name: string, dir: string | undefined, io: Io): Promise<void> => {
  const template = join(projectFolder(), 'packages/cli/plugin-template');
  const home = homeFolder();
  const isOwn = existsSync(join(home, FOLDER_FILE));
  const place = isOwn ? 'plugins' : 'nodes';
  const folder = dir === undefined ? join(home, place, name) : resolve(callerFolder(io.env), dir);
  const shown = dir ?? `${place}/${name}`;
  if (existsSync(folder)) throw new CommandError(`${shown} already exists.`);
  await mkdir(folder, { recursive: true });
  const files = (await readdir(template)).sort();
  for (const file of files) {
    const text = renameTemplate(await readFile(join(template, file), 'utf8'), name);
    await writeFile(join(folder, file), isOwn && file === 'README.md' ? forOwnFolder(text, name) : text);
  }
  io.print(`${shown}: ${files.join(', ')}

Test it:     npm test --prefix ${shown}
Check it:    ${programName()} plugin check ${shown}`);
  if (isOwn) {
    await addPlugin(home, name, `./${relative(home, folder).replaceAll('\\', '/')}`);
    io.print(`It is in ${FOLDER_FILE}, so workflows can use it.`);
  } else {
    const module = dir === undefined ? `./${name}/index.ts` : `hookloom-${name}`;
    io.print(`Install it:  ${dir === undefined ? '' : `npm install ${dir}, and `}one line in nodes/installed.ts
  unified('${name}', () => import('${module}')),`);
  }
};

/** Adds a plugin to the hookloom.json of a folder, whose other text stays as it is. */
const addPlugin = async (home: string, name: string, module: string): Promise<void> => {
  const file = join(home, FOLDER_FILE);
  const text = await readFile(file, 'utf8');
  const edits = modify(text, ['plugins', name], module, {
    formattingOptions: { insertSpaces: true, tabSize: 2 },
  });
  await writeFile(file, applyEdits(text, edits));
};

/** The README of a plugin says how it is installed: here, that is done. */
const forOwnFolder = (text: string, name: string): string =>
  text
    .replaceAll('npm run -s cli --', programName())
    .replaceAll(`nodes/${name}`, `plugins/${name}`)
    .replace(
      /To install it, add one line to[\s\S]*?```ts[\s\S]*?```/,
      `It is used since \`${FOLDER_FILE}\` names it.`,
    )
    .replace(/ and add the line:\n\n```ts[\s\S]*?```/, ` and name the package in \`${FOLDER_FILE}\`.`);

/** @throws CommandError with each problem on its own line */
const printPluginCheck = async (path: string, asJson: boolean, io: Io): Promise<void> => {
  const [{ checkPlugin }, { findPluginFile, readFolderPlugins }] = await Promise.all([
    import('./plugins/check-plugin.ts'),
    import('./hookloom-file.ts'),
  ]);
  const file = findPluginFile(resolve(callerFolder(io.env), path));
  if (file === null) throw new CommandError(`${path}: no such plugin`);
  const findings = await checkPlugin(file, readFolderPlugins(homeFolder()));
  const { row, health, nodeTypes } = findings;
  if (asJson) printJson(findings, io);
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

/** Replaces the template's names in every spelling. */
const renameTemplate = (text: string, name: string): string => {
  const words = name.split('-');
  const camelCase = words.map((word, index) => (index === 0 ? word : capitaliseWord(word))).join('');
  const title = [capitaliseWord(words[0] ?? ''), ...words.slice(1)].join(' ');
  return text
    .replaceAll('plugin-template', name)
    .replaceAll('pluginTemplate', camelCase)
    .replaceAll('Plugin template', title);
};

const capitaliseWord = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
