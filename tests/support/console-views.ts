import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './run-command.ts';

/** The paths of the console's views, read as text: the file imports views, which are JSX. */
export const readViewPaths = (): readonly string[] => {
  const file = readFileSync(join(projectRoot, 'packages/console/src/shell/views.ts'), 'utf8');
  return [...file.matchAll(/\[\s*'(\/[^']*)',\s+'[^']+',\s/g)].map(([, path = '']) => path);
};
