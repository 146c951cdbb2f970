import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { CommandError } from './command-error.ts';
import type { Entry } from './events/check-entries.ts';
import { NotTaken, sendEntry } from './events/send-entry.ts';
import { readEntries } from './read-file.ts';

export const addEventCommands = (program: Command, { io, onTarget }: CommandContext): void => {
  const event = program.command('event').description('send events and messages');

  event
    .command('put')
    .description('send events to a bus and messages to queues')
    .argument('<files...>', 'files with an event, a message or a list of them; - is standard input')
    .action(async (files: string[]) => {
      // Reads all files before sending the first, so that nothing is sent if one is invalid.
      const entries: Entry[] = [];
      for (const file of files) entries.push(...(await readEntries(file, io)));
      await onTarget(async ({ target }) => {
        const { callAws } = await target.registrar.openContext().catch((cause: Error) => {
          throw new CommandError(`The stage can't be reached: ${cause.message}`);
        });
        for (const entry of entries) io.print(await sendEntry(entry, callAws, randomUUID).catch(report));
      });
    });
};

/** @throws CommandError when AWS refuses, any other error unchanged */
const report = (error: unknown): never => {
  throw error instanceof NotTaken ? new CommandError(error.message) : error;
};
