import type { Command } from 'commander';
import { addTo, type CommandContext } from './command.ts';
import { type StageOptions, usageError } from './command-error.ts';

/** The command that launches and upgrades the service itself. */
export const addStageCommands = (program: Command, context: CommandContext): void => {
  const group = program.command('stage').description('launch and upgrade the service itself in AWS');
  const add = addTo(group, context);

  add('deploy', {
    about: 'launch a stage with this release and the plugins of this folder, or upgrade it',
    arguments: [['<name>', 'its name, such as production']],
    options: [
      ['--param <name=value...>', 'parameters of the template, besides those of the stage in hookloom.json'],
      ['--dry-run', 'store the code in the bucket, show what would change, and change nothing'],
      ['--yes', 'do not ask'],
    ],
    examples: ['stage deploy production --dry-run', 'stage deploy production --region eu-central-1'],
    failed: 'refused or failed',
    runHere: async (name, { io, openLocal }, { param = [], ...options }) => {
      const { stage, region, profile } = program.opts<StageOptions>();
      if (stage !== undefined) throw usageError(`Name one stage: deploy ${name}, without --stage.`);
      const chosen = Object.fromEntries(param.map(readParameter));
      await (await openLocal()).deployStage(name, { ...options, region, profile, param: chosen }, io);
    },
  });
};

const readParameter = (text: string): readonly [name: string, value: string] => {
  const at = text.indexOf('=');
  if (at < 1) throw usageError(`--param must be NAME=VALUE, not ${text}`);
  return [text.slice(0, at), text.slice(at + 1)];
};
