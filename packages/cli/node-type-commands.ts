import type { Command } from 'commander';
import type { PluginEntry } from '../../lib/plugins/plugin.ts';
import {
  describeNodeType,
  type NodeTypeDescription,
} from '../../lib/plugins/reference/describe-node-type.ts';
import { didYouMean } from '../../lib/shared/describe.ts';
import { findNearest } from '../../lib/shared/near-name.ts';
import { addFeatures } from '../../lib/webhooks/features/add-features.chunk.ts';
import { printNodeType, toLine } from '../authoring/reference/print-node-type.ts';
import type { CommandContext } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { explain } from './help.ts';
import type { Io } from './io.ts';
import { printTable } from './table.ts';

export const addNodeTypeCommands = (program: Command, { io, loadPlugins }: CommandContext): void => {
  const nodeType = program.command('node-type').description('reference of the installed node types');

  nodeType
    .command('list')
    .description('list the installed node types; needs no service')
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['node-type list'], { isOffline: true, failed: null }))
    .action(async ({ json }: { readonly json?: true }) => list(await loadPlugins(), json === true, io));

  nodeType
    .command('show')
    .description('print parameters, outputs and an example of a node type')
    .argument('<type>', 'the type, as in a workflow file')
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['node-type show httpRequest'], { isOffline: true, failed: 'not found' }))
    .action(async (type: string, { json }: { readonly json?: true }) =>
      show(type, await loadPlugins(), json === true, io),
    );
};

const list = (plugins: readonly PluginEntry[], asJson: boolean, io: Io): void => {
  const descriptions = describeAll(plugins, io);
  if (asJson) io.print(JSON.stringify(descriptions, null, 2));
  else
    printTable(
      {
        titles: ['TYPE', 'KIND', 'CATEGORY', 'DESCRIPTION'],
        texts: ['DESCRIPTION'],
        rows: descriptions.map(({ nodeType, kind, category, description }) => [
          ...[nodeType, kind, category, toLine(description)],
        ]),
      },
      io,
    );
};

/** @throws CommandError when no loaded plugin has the node type */
const show = (type: string, plugins: readonly PluginEntry[], asJson: boolean, io: Io): void => {
  const descriptions = describeAll(plugins, io);
  const found = descriptions.find(({ nodeType }) => nodeType === type);
  if (found === undefined) {
    const near = findNearest(
      type,
      descriptions.map(({ nodeType }) => nodeType),
    );
    throw new CommandError(`There is no node type ${JSON.stringify(type)}${didYouMean(near)}`);
  }
  io.print(asJson ? JSON.stringify(found, null, 2) : printNodeType(found));
};

/** The usable node types; warns about each plugin that is not loaded. */
export const describeAll = (plugins: readonly PluginEntry[], io: Io): NodeTypeDescription[] =>
  plugins.flatMap((entry) => {
    if (entry.status === 'loaded') return entry.plugin.nodeTypes.map(describeNodeType).map(addFeatures);
    io.note(io.paint('yellow', `The plugin ${entry.id} is not loaded: ${entry.error}`));
    return [];
  });
