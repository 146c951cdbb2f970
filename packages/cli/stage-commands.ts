import type { Command } from 'commander';
import { addTo, type CommandContext } from './command.ts';
import { type StageOptions, usageError } from './command-error.ts';

/** The commands that launch, upgrade and remove the service itself. */
export const addStageCommands = (program: Command, context: CommandContext): void => {
  const group = program.command('stage').description('launch, upgrade and remove the service itself in AWS');
  const add = addTo(group, context);
  const readTarget = (name: string, command: string): StageOptions => {
    const { stage, ...target } = program.opts<StageOptions>();
    if (stage !== undefined) throw usageError(`Name one stage: ${command} ${name}, without --stage.`);
    return target;
  };

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
      const { region, profile } = readTarget(name, 'deploy');
      const chosen = Object.fromEntries(param.map(readParameter));
      await (await openLocal()).deployStage(name, { ...options, region, profile, param: chosen }, io);
    },
  });

  add('remove', {
    about: 'remove a stage: its functions and API; tables and bucket stay',
    arguments: [['<name>', 'its name, such as production']],
    options: [
      ['--dry-run', 'show what would go and what stays, and change nothing'],
      ['--yes', 'do not ask'],
    ],
    examples: ['stage remove trial --dry-run', 'stage remove trial --region eu-central-1'],
    failed: 'refused or failed',
    runHere: async (name, { io, openLocal }, options) => {
      const { region, profile } = readTarget(name, 'remove');
      await (await openLocal()).removeStage(name, { ...options, region, profile }, io);
    },
  });
};

const readParameter = (text: string): readonly [name: string, value: string] => {
  const at = text.indexOf('=');
  if (at < 1) throw usageError(`--param must be NAME=VALUE, not ${text}`);
  return [text.slice(0, at), text.slice(at + 1)];
};
