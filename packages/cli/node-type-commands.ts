import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import type { Command } from 'commander';
import type { findOptionsRoute } from '../../lib/app/trials.ts';
import type { AnswerTo } from '../../lib/http/api-route.ts';
import type { PluginEntry } from '../../lib/plugins/plugin.ts';
import {
  describeNodeType,
  type NodeTypeDescription,
} from '../../lib/plugins/reference/describe-node-type.ts';
import { didYouMean } from '../../lib/shared/describe.ts';
import { findNearest } from '../../lib/shared/near-name.ts';
import { addFeatures } from '../../lib/webhooks/features/add-features.chunk.ts';
import { printNodeType, toLine, printJson as toSchemaText } from '../authoring/reference/print-node-type.ts';
import { createWorkflowSchema } from '../authoring/reference/workflow-schema.ts';
import { addTo, type CommandContext } from './command.ts';
import { CommandError, usageError } from './command-error.ts';
import { type Io, printJson } from './io.ts';
import { parseJson } from './parse-json.ts';
import { JSON_OUTPUT } from './read-arguments.ts';
import { printTable } from './table.ts';
import { writeText } from './write-file.ts';

export const addNodeTypeCommands = (program: Command, context: CommandContext): void => {
  const group = program.command('node-type').description('reference of the installed node types');
  const add = addTo(group, context);

  add('list', {
    about: 'list the installed node types; needs no service',
    options: [JSON_OUTPUT],
    examples: ['node-type list'],
    isOffline: true,
    failed: null,
    runHere: async ({ io, loadPlugins }, { json }) => {
      const descriptions = describeAll(await loadPlugins(), io);
      if (json === true) return printJson(descriptions, io);
      const rows = descriptions.map(({ nodeType, kind, category, description }) => [
        nodeType,
        kind,
        category,
        toLine(description),
      ]);
      const titles = ['TYPE', 'KIND', 'CATEGORY', 'DESCRIPTION'];
      printTable({ titles, texts: ['DESCRIPTION'], rows }, io);
    },
  });

  add('show', {
    about: 'print parameters, outputs and an example of a node type',
    arguments: [['<type>', 'the type, as in a workflow file']],
    options: [JSON_OUTPUT],
    examples: ['node-type show httpRequest'],
    isOffline: true,
    failed: 'not found',
    runHere: async (type, { io, loadPlugins }, { json }) => {
      const descriptions = describeAll(await loadPlugins(), io);
      const names = descriptions.map(({ nodeType }) => nodeType);
      const found = descriptions[names.indexOf(type)];
      if (found === undefined)
        throw new CommandError(
          `There is no node type ${JSON.stringify(type)}${didYouMean(findNearest(type, names))}`,
        );
      if (json === true) printJson(found, io);
      else io.print(printNodeType(found));
    },
  });

  add('options', {
    about: 'list what a parameter can be, such as the channels that a credential may see',
    arguments: [
      ['<type>', 'the type, as in a workflow file'],
      ['<parameter>', 'one whose page in the reference says that it has options'],
    ],
    options: [
      ['--credential <id>', 'the credential of the node'],
      ['--parameters <json>', 'the other parameters of the node, as JSON'],
      ['--search <text>', 'only those that contain it, in any case'],
      JSON_OUTPUT,
    ],
    examples: ['node-type options slackMessage channel --credential slack --search orders'],
    failed: 'there are none, or the service called did not answer',
    run: async (nodeType, parameter, { io, target }, { credential, parameters, search, json }) => {
      const asked = {
        ...{ nodeType, parameter, credentialId: credential, search },
        parameters: parameters === undefined ? undefined : readJsonObject(parameters),
      };
      const options: Found['options'][number][] = [];
      let page: string | null = null;
      for (let pages = 0; pages < MAX_PAGES && (pages === 0 || page !== null); pages += 1) {
        const found: Found = await target.api.call<Found>('POST', '/api/admin/workflows/options', {
          body: { ...asked, page },
        });
        if (found.failure !== null) throw new CommandError(found.failure.message);
        options.push(...found.options);
        page = found.nextPage;
      }
      const rows = options.map(({ value, label }) => [String(value), label]);
      if (json === true) printJson(options, io);
      else printTable({ titles: ['VALUE', 'LABEL'], texts: ['LABEL'], rows }, io);
      if (page !== null) io.note('There are more: narrow them down with --search.');
    },
  });

  addTo(program, context)('schema', {
    about: 'print the JSON Schema of workflow files, for editors; needs no service',
    options: [['--output <file>', 'write it to this file, which workflow files name by "$schema"']],
    examples: ['schema --output workflows/workflow.schema.json'],
    isOffline: true,
    failed: 'the file could not be written',
    runHere: async ({ io, loadPlugins }, { output }) => {
      const text = toSchemaText(createWorkflowSchema(describeAll(await loadPlugins(), io)));
      if (output === undefined) return io.print(text);
      await writeText(output, `${text}\n`, io);
      io.print(`${output}: the schema of workflow files with the installed node types`);
    },
  });
};

type Found = AnswerTo<typeof findOptionsRoute>;

/** How many pages of options are asked for. */
const MAX_PAGES = 20;

const readJsonObject = (text: string): JsonObject => {
  const value = parseJson(text, '--parameters');
  if (!isPlainObject(value))
    throw usageError('--parameters must be a JSON object, such as \'{"shop":"tea"}\'');
  return value as JsonObject;
};

/** The usable node types; warns about each plugin that is not loaded. */
const describeAll = (plugins: readonly PluginEntry[], io: Io): NodeTypeDescription[] =>
  plugins.flatMap((entry) => {
    if (entry.status === 'loaded') return entry.plugin.nodeTypes.map(describeNodeType).map(addFeatures);
    io.note(io.paint('yellow', `The plugin ${entry.id} is not loaded: ${entry.error}`));
    return [];
  });
