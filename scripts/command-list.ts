import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Command } from 'commander';
import { processIo } from '../packages/cli/io.ts';
import { createProgram } from '../packages/cli/run.ts';
import { fillPlaces, findDifferences } from './cost/places.ts';

// Writes the list of commands in their page from the declarations of the commands. With `--check`, changes nothing and exits
// with 1 when the page differs.

const unused = () => {
  throw new Error('The list needs no service and no node types.');
};

const program = createProgram({
  io: processIo,
  openTarget: unused,
  loadNodeTypes: unused,
  loadPlugins: unused,
});

/** The commands that do something, of all groups. */
const listCommands = (command: Command, path = ''): { readonly usage: string; readonly what: string }[] =>
  command.commands.flatMap((child) => {
    const name = `${path}${child.name()}`;
    if (child.commands.length > 0) return listCommands(child, `${name} `);
    const usage = `${name} ${child.usage()}`.replace(/ ?\[options\]/, '').trimEnd();
    return [{ usage, what: child.description().replaceAll('|', '\\|') }];
  });

const table = [
  '| command | what it does |',
  '|---|---|',
  ...listCommands(program).map(({ usage, what }) => `| \`${usage}\` | ${what} |`),
].join('\n');

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const page = new URL('../docs/command-line.md', import.meta.url);
const text = readFileSync(page, 'utf8');
const fresh = fillPlaces(text, { commands: table });
if (text !== fresh && !values.check) writeFileSync(page, fresh);
else if (text !== fresh) {
  console.error(['docs/command-line.md is out of date:', ...findDifferences(text, fresh)].join('\n'));
  console.error('Run `npm run docs:cli` to update it.');
  process.exitCode = 1;
}
