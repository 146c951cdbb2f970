import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyProject as copyInto } from '../../packages/local/stage/package-stage.ts';
import { projectRoot } from './run-command.ts';

/** A copy of the project in a folder of its own, with the same node_modules, for a test to change. */
export const copyProject = (): { readonly folder: string; remove(): void } => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-project-'));
  copyInto(projectRoot, folder);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
};
