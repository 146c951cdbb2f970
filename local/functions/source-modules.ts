import { join } from 'node:path';
import type { ModuleSource } from './local-functions.ts';

/** Modules as they are, for Node to strip their types: nothing is built, and nothing is seen of an edit. */
export const createSourceModules = (folder: string): ModuleSource => {
  const fileOf = (module: string): string => join(folder, `${module}.ts`);
  return { find: async (module) => fileOf(module), current: fileOf };
};
