import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadPlugins } from '../cli/plugins/node-types.ts';
import { findDifferences } from './cost/places.ts';
import { createNodePages } from './reference/node-pages.ts';

// Writes the pages of docs/nodes from the node types of the installed plugins and removes all others. With
// `--check`, changes nothing and exits with 1 when a page is missing, different or left over.

const FOLDER = 'docs/nodes';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const folder = fileURLToPath(new URL(`../${FOLDER}`, import.meta.url));
mkdirSync(folder, { recursive: true });

const loaded = (await loadPlugins()).map((entry) => {
  if (entry.status !== 'loaded') throw new Error(`The plugin ${entry.id} is not loaded: ${entry.error}`);
  return entry.plugin;
});
const fresh = createNodePages(loaded);
const stored = new Map(
  readdirSync(folder).map((file): [string, string] => [file, readFileSync(join(folder, file), 'utf8')]),
);

const outdated = [...new Set([...stored.keys(), ...fresh.keys()])].filter(
  (file) => stored.get(file) !== fresh.get(file),
);
for (const file of outdated) {
  const text = fresh.get(file);
  if (values.check) {
    console.error(`${FOLDER}/${file} is out of date:`);
    console.error(findDifferences(stored.get(file) ?? '', text ?? '').join('\n'));
  } else if (text === undefined) rmSync(join(folder, file));
  else writeFileSync(join(folder, file), text);
}
if (values.check && outdated.length > 0) {
  console.error('Run `npm run docs:nodes` to update them.');
  process.exitCode = 1;
}
