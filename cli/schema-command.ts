import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { printJson } from '../authoring/reference/print-node-type.ts';
import { createWorkflowSchema } from '../authoring/reference/workflow-schema.ts';
import type { CommandContext } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { callerFolder } from './local/project-folder.ts';
import { describeAll } from './node-type-commands.ts';

export const addSchemaCommand = (program: Command, { io, loadPlugins }: CommandContext): void => {
  program
    .command('schema')
    .description('print the JSON Schema of workflow files, for editors; needs no service')
    .option('--output <file>', 'write it to this file, which workflow files name by "$schema"')
    .action(async ({ output = null }: { readonly output?: string | null }) => {
      const text = printJson(createWorkflowSchema(describeAll(await loadPlugins(), io)));
      if (output === null) return io.print(text);
      try {
        await writeFile(resolve(callerFolder(io.env), output), `${text}\n`);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        throw new CommandError(
          `${output}: ${code === 'ENOENT' ? 'no such folder' : `can't be written (${code})`}`,
        );
      }
      io.print(`${output}: the schema of workflow files with the installed node types`);
    });
};
