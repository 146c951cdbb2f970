#!/usr/bin/env node
import { endWithPipe, processIo } from './io.ts';
import { run } from './run.ts';
import { openTarget } from './target.ts';

endWithPipe();
process.exitCode = await run(process.argv.slice(2), {
  io: processIo,
  openTarget,
  // Loaded for the commands that check workflows: the others start faster without.
  loadNodeTypes: async () => (await import('./node-types.ts')).loadNodeTypes(),
});
