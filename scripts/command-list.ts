import type { Command } from 'commander';
import { processIo } from '../packages/cli/io.ts';
import { createProgram } from '../packages/cli/run.ts';
import { markdownTable, toCell, updatePages } from './cost/places.ts';

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
  openLocal: unused,
});

/** The rows of commands that do something, of all groups. */
const listCommands = (command: Command, path = ''): string[][] =>
  command.commands.flatMap((child) => {
    const name = `${path}${child.name()}`;
    if (child.commands.length > 0) return listCommands(child, `${name} `);
    const usage = `${name} ${child.usage()}`.replace(/ ?\[options\]/, '').trimEnd();
    return [[`\`${usage}\``, toCell(child.description())]];
  });

const commands = markdownTable(['command', 'what it does'], listCommands(program));
updatePages({ 'docs/command-line.md': { commands } }, 'docs:cli');
