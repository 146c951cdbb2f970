import type { Command } from 'commander';
import { processIo } from '../packages/cli/io.ts';
import { createProgram } from '../packages/cli/run.ts';
import { updatePages } from './cost/places.ts';

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

updatePages({ 'docs/command-line.md': { commands: table } }, 'docs:cli');
