#!/usr/bin/env node
// The program of the npm package, beside which the sources are, without their types. It is JavaScript for any Node.js.
import { readFileSync } from 'node:fs';
import module from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`Hookloom needs Node.js 22.18 or newer, but this is ${process.versions.node}.\n`);
  process.exit(1);
}

// Node refuses .ts below node_modules, since it strips no types there: in these files, none are left.
const root = new URL('..', import.meta.url).href;
module.registerHooks({
  load: (url, context, next) =>
    url.startsWith(root) && url.endsWith('.ts')
      ? { format: 'module', source: readFileSync(new URL(url)), shortCircuit: true }
      : next(url, context),
});
module.enableCompileCache();

await import('../packages/cli/main.ts');
