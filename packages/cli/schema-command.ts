import type { Command } from 'commander';
import { printJson } from '../authoring/reference/print-node-type.ts';
import { createWorkflowSchema } from '../authoring/reference/workflow-schema.ts';
import type { CommandContext } from './command-context.ts';
import { explain } from './help.ts';
import { describeAll } from './node-type-commands.ts';
import { writeText } from './write-file.ts';

export const addSchemaCommand = (program: Command, { io, loadPlugins }: CommandContext): void => {
  program
    .command('schema')
    .description('print the JSON Schema of workflow files, for editors; needs no service')
    .option('--output <file>', 'write it to this file, which workflow files name by "$schema"')
    .addHelpText(
      'after',
      explain(['schema --output workflows/workflow.schema.json'], {
        isOffline: true,
        failed: 'the file could not be written',
      }),
    )
    .action(async ({ output = null }: { readonly output?: string | null }) => {
      const text = printJson(createWorkflowSchema(describeAll(await loadPlugins(), io)));
      if (output === null) return io.print(text);
      await writeText(output, `${text}\n`, io);
      io.print(`${output}: the schema of workflow files with the installed node types`);
    });
};
