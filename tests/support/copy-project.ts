import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './run-command.ts';

const leftOut = new Set(['.git', '.serverless', '.esbuild', '.hookloom', 'node_modules', 'coverage', 'dist']);

/** A copy of the project in a folder of its own, with the same node_modules, for a test to change. */
export const copyProject = (): { readonly folder: string; remove(): void } => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-project-'));
  for (const name of readdirSync(projectRoot)) {
    if (!leftOut.has(name)) cpSync(join(projectRoot, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
};
