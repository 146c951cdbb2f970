import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { addTo, type CommandContext } from './command.ts';
import { CommandError } from './command-error.ts';
import type { Io } from './io.ts';
import { callerFolder, FOLDER_FILE, projectFolder } from './local/project-folder.ts';

/** The commands that begin a folder of one's own, and run the service there. */
export const addProjectCommands = (program: Command, context: CommandContext): void => {
  const add = addTo(program, context);

  add('init', {
    about: 'begin a folder of your own: workflows, a place for plugins, and a pipeline',
    arguments: [['[folder]', 'folder to write to (default: this one)']],
    examples: ['init my-automations'],
    isOffline: true,
    failed: 'a file of it exists already',
    runHere: (folder, { io }) => beginFolder(folder ?? '.', io),
  });

  add('start', {
    about: 'run the whole service on this machine until Ctrl+C, with live reload',
    options: [
      ['--port <number>', 'port (default: PORT, or 3000); 0 uses any free one'],
      ['--data <folder>', 'keep workflows, credentials and executions there (default: in memory)'],
      ['--traces <url>', 'send traces to a collector, such as http://localhost:4318/v1/traces'],
    ],
    examples: ['start', 'start --port 4000 --data data'],
    isOffline: true,
    failed: 'it could not start',
    runHere: async ({ openLocal }, options) => (await openLocal()).runService(options),
  });
};

/** Samples that need no credential and no other system. */
const SAMPLES = ['hello.json', 'approval.json', 'workflow.schema.json'];

/** Of the template of plugins, which the folder's own package.json has in its place. */
const TOOLS = 'packages/cli/plugin-template/package.json';

const beginFolder = async (given: string, io: Io): Promise<void> => {
  const folder = resolve(callerFolder(io.env), given);
  const template = join(projectFolder(), 'packages/cli/project-template');
  const names = (await readdir(template, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(template.length + 1));
  const taken = [...names, 'package.json', '.gitignore'].filter((name) => existsSync(join(folder, name)));
  if (taken.length > 0) throw new CommandError(`${given}: ${taken.join(', ')} exists already.`);
  await mkdir(join(folder, 'workflows'), { recursive: true });
  await cp(template, folder, { recursive: true });
  await rename(join(folder, 'gitignore'), join(folder, '.gitignore')); // npm packs no .gitignore
  for (const name of SAMPLES)
    await cp(join(projectFolder(), 'workflows', name), join(folder, 'workflows', name));
  await writeFile(join(folder, 'package.json'), await toPackageFile(basename(folder)));
  const enter = given === '.' ? '' : `cd ${given} && `;
  io.print(`${given}: ${FOLDER_FILE}, package.json, workflows/, plugins/ and .github/workflows/hookloom.yml

${enter}npm install
npx hookloom start`);
};

/** It has versions of its own, of which the service names one. */
const KIT = '@hookloom/plugin-kit';

/** The manifest of the folder: this release of the command line, and what tests of plugins need. */
const toPackageFile = async (name: string): Promise<string> => {
  const service = JSON.parse(await readFile(join(projectFolder(), 'package.json'), 'utf8'));
  const { version, dependencies: { [KIT]: kit = version } = {} } = service;
  const { devDependencies } = JSON.parse(await readFile(join(projectFolder(), TOOLS), 'utf8'));
  const content = {
    name:
      name
        .toLowerCase()
        .split(/[^a-z0-9]/)
        .filter((part) => part !== '')
        .join('-') || 'automations',
    private: true,
    type: 'module',
    scripts: {
      start: 'hookloom start',
      test: 'hookloom workflow validate workflows && node --test',
    },
    // They unpack what is prebuilt for this machine.
    allowScripts: { 'classic-level': true, esbuild: true },
    devDependencies: { [KIT]: `^${kit}`, hookloom: `^${version}`, ...devDependencies },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
};
