#!/usr/bin/env node
import { lazy } from '@hookloom/plugin-kit';
import type { LocalCommands } from './command.ts';
import { endWithPipe, processIo } from './io.ts';
import { runCommand } from './run.ts';
import { openTarget } from './target.ts';

/** With the plugins of the caller's folder. */
const openNodeTypes = lazy(async () => {
  const [{ openNodeTypes: open }, { readFolderPlugins }, { homeFolder }] = await Promise.all([
    import('./plugins/node-types.ts'),
    import('./hookloom-file.ts'),
    import('./local/project-folder.ts'),
  ]);
  return open(readFolderPlugins(homeFolder()));
});

endWithPipe();
process.exitCode = await runCommand(process.argv.slice(2), {
  io: processIo,
  openTarget,
  loadNodeTypes: async () => (await openNodeTypes()).loadNodeTypes(),
  loadPlugins: async () => (await openNodeTypes()).loadPlugins(),
  // By its address: the local service imports the command line, not the other way around.
  openLocal: (): Promise<LocalCommands> =>
    import(new URL('../local/commands.ts', import.meta.url).href).then((module) => module.default),
});
