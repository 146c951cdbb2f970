import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { PluginSummary } from '../../lib/plugins/summaries.ts';
import type { DisabledPlugin } from '../../lib/shared/settings/settings.ts';
import type { AdminApi } from './admin-api.ts';
import type { CommandContext } from './command-context.ts';
import { CommandError, usageError } from './command-error.ts';
import { explain } from './help.ts';
import type { Io } from './io.ts';
import { callerFolder, projectFolder } from './local/project-folder.ts';
import { printTable } from './table.ts';

export const addPluginCommands = (program: Command, { io, onTarget }: CommandContext): void => {
  const plugin = program
    .command('plugin')
    .description('write and check plugins; list, disable and enable those of a stage');

  plugin
    .command('list')
    .description('list the plugins that a stage has, and whether they can be used')
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['plugin list']))
    .action(({ json }: { readonly json?: true }) =>
      onTarget(async ({ target }) => {
        const plugins = await list(target.api);
        if (json === true) return io.print(JSON.stringify({ plugins }, null, 2));
        const rows = plugins.map(({ id, api, version, state, reason }) => [
          id,
          api,
          version || '-',
          state,
          reason ?? '-',
        ]);
        printTable({ titles: ['ID', 'API', 'VERSION', 'STATE', 'REASON'], rows, texts: ['REASON'] }, io);
      }),
    );

  plugin
    .command('disable')
    .description('stop all use of a plugin on a stage, within seconds and without a deployment')
    .argument('<id>', 'id of the plugin')
    .option('--message <text>', 'why, for those who see the failures')
    .addHelpText('after', explain(['plugin disable slack --message "tokens leaked"']))
    .action((id: string, { message }: { readonly message?: string }) =>
      onTarget(async ({ target }) => {
        const { changed, users } = await target.api.call<{
          readonly changed: boolean;
          readonly users: readonly string[];
        }>('POST', toPath(id, 'disable'), { query: { message } });
        io.print(`${id}: ${changed ? 'disabled' : 'was disabled already'}`);
        if (users.length > 0) io.note(`These fail until it is enabled:\n${users.join('\n')}`);
      }),
    );

  plugin
    .command('enable')
    .description('allow the use of a plugin that was disabled on a stage')
    .argument('<id>', 'id of the plugin')
    .addHelpText('after', explain(['plugin enable slack']))
    .action((id: string) =>
      onTarget(async ({ target }) => {
        const { changed } = await target.api.call<{ readonly changed: boolean }>(
          'POST',
          toPath(id, 'enable'),
        );
        io.print(`${id}: ${changed ? 'enabled' : 'was not disabled'}`);
      }),
    );

  plugin
    .command('create')
    .description('write a working plugin, with tests')
    .argument('<name>', 'its id, such as acme-chat', readName)
    .option('--dir <folder>', 'folder to write to (default: nodes/NAME)')
    .addHelpText(
      'after',
      explain(['plugin create acme-chat'], { isOffline: true, failed: 'the folder exists already' }),
    )
    .action((name: string, { dir }: { readonly dir?: string }) => create(name, dir ?? null, io));

  plugin
    .command('check')
    .description('run the contract suite on a plugin and show what an operator would see')
    .argument('<path>', 'its file or folder')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      explain(['plugin check packages/cli/plugin-template'], {
        isOffline: true,
        failed: 'not found, or a check failed',
      }),
    )
    .action((path: string, { json }: { readonly json?: true }) => printPluginCheck(path, json === true, io));
};

const toPath = (id: string, action: 'disable' | 'enable'): string =>
  `/api/admin/plugins/${encodeURIComponent(id)}/${action}`;

/** The plugins with what the stage's settings say of them. */
const list = async (api: AdminApi) => {
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

const readName = (name: string): string => {
  if (!isPluginName(name)) {
    throw usageError(
      `${JSON.stringify(name)} is not a plugin name: use at most 40 of a-z 0-9 -, such as acme-chat`,
    );
  }
  return name;
};

const create = async (name: string, dir: string | null, io: Io): Promise<void> => {
  const folder = dir === null ? join(projectFolder(), 'nodes', name) : resolve(callerFolder(io.env), dir);
  const shown = dir ?? `nodes/${name}`;
  if (existsSync(folder)) throw new CommandError(`${shown} already exists.`);
  const files = await createPlugin(name, join(projectFolder(), 'packages/cli/plugin-template'), folder);
  const place = dir === null ? `./${name}/index.ts` : `hookloom-${name}`;
  io.print(`${shown}: ${files.join(', ')}

Test it:     npm test --prefix ${shown}
Check it:    npm run -s cli -- plugin check ${shown}
Install it:  ${dir === null ? '' : `npm install ${dir}, and `}one line in nodes/installed.ts
  unified('${name}', () => import('${place}')),`);
};

/** @throws CommandError with each problem on its own line */
const printPluginCheck = async (path: string, asJson: boolean, io: Io): Promise<void> => {
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
