import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Functions, not constants: `import.meta.url` is missing in a bundle, which is CommonJS.

/** The folder of this project, absolute, without a trailing slash. */
export const projectFolder = (): string =>
  fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

/** Whether the code comes from the npm package, not from a clone. */
export const isInstalled = (): boolean => existsSync(join(projectFolder(), 'template.json'));

/** The file that makes a folder a user's own: its plugins, and the stages that it is deployed to. */
export const FOLDER_FILE = 'hookloom.json';

/**
 * The folder with a user's workflows, plugins and local data: the nearest one with a hookloom.json, from `start` upwards; else
 * this project in a clone, and `start` itself where the package is installed.
 */
export const homeFolder = (start: string = process.cwd()): string => {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    if (existsSync(join(folder, FOLDER_FILE))) return folder;
    if (folder === dirname(folder)) return isInstalled() ? resolve(start) : projectFolder();
  }
};

export const workflowsFolder = (): string => join(homeFolder(), 'workflows');

/** What is typed before a command in this folder. */
export const programName = (): string => (isInstalled() ? 'npx hookloom' : 'npm run -s cli --');

/** Returns the caller's folder, to which paths are relative: `npm run cli` changes to the project's folder first. */
export const callerFolder = (env: Readonly<Record<string, string | undefined>>): string =>
  env.npm_lifecycle_event === 'cli' && env.INIT_CWD !== undefined ? env.INIT_CWD : '.';
