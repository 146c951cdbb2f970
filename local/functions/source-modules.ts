import { join } from 'node:path';
import type { ModuleSource } from './local-functions.ts';

/** Modules from their sources, whose types Node strips: without builds, and without reloading. */
export const createSourceModules = (folder: string): ModuleSource => {
  const fileOf = (module: string): string => join(folder, `${module}.ts`);
  return { find: async (module) => fileOf(module), current: fileOf };
};
