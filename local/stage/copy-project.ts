import { cpSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const leftOut = new Set(['.git', '.serverless', '.esbuild', '.hookloom', 'node_modules', 'coverage', 'dist']);

/** Copies the project into a folder, with the same node_modules. */
export const copyProject = (project: string, folder: string): void => {
  for (const name of readdirSync(project)) {
    if (!leftOut.has(name)) cpSync(join(project, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
};
