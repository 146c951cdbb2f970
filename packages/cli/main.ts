#!/usr/bin/env node
import { endWithPipe, processIo } from './io.ts';
import { runCommand } from './run.ts';
import { openTarget } from './target.ts';

endWithPipe();
process.exitCode = await runCommand(process.argv.slice(2), {
  io: processIo,
  openTarget,
  loadNodeTypes: async () => (await import('./plugins/node-types.ts')).loadNodeTypes(),
  loadPlugins: async () => (await import('./plugins/node-types.ts')).loadPlugins(),
});
