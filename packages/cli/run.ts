import { readFileSync } from 'node:fs';
import { isPlainObject } from '@hookloom/plugin-kit';
import { Command, CommanderError } from 'commander';
import { isAppError } from '../../lib/shared/errors.ts';
import { ApiProblem } from './admin-api.ts';
import { addApprovalCommands } from './approval-commands.ts';
import { addBulkRetryCommands } from './bulk-retry-commands.ts';
import { addTo, type CommandContext } from './command.ts';
import { CommandError, EXIT, type ExitCode, explainAwsError, usageError } from './command-error.ts';
import { addCompletionCommand } from './completion-command.ts';
import { addConsoleCommands } from './console-commands.ts';
import { addCredentialCommands } from './credential-commands.ts';
import { addDoctorCommand } from './doctor-command.ts';
import { addEventCommands } from './event-commands.ts';
import { addExecutionCommands } from './execution-commands.ts';
import { ApiUnfound } from './find-api-url.ts';
import { addFolderCommands } from './folder-commands.ts';
import { explainProgram, formatHelp } from './help.ts';
import type { Io } from './io.ts';
import { addNodeTypeCommands } from './node-type-commands.ts';
import { addNoticeCommands } from './notice-commands.ts';
import { addPluginCommands } from './plugin-commands.ts';
import { addProjectCommands } from './project-commands.ts';
import { checkOptions, JSON_OUTPUT, readStage, readUrl } from './read-arguments.ts';
import { addRequestCommands } from './request-commands.ts';
import { addStageCommands } from './stage-commands.ts';
import { addStateCommands } from './state-commands.ts';
import { addStatisticsCommand } from './statistics-command.ts';
import type { OpenTarget } from './target.ts';
import { addVariableCommands } from './variable-commands.ts';
import { addWorkflowCommands } from './workflow-commands.ts';

export interface CommandLine extends Omit<CommandContext, 'onTarget'> {
  readonly openTarget: OpenTarget;
}

/**
 * Runs one command line. Mistakes of users and failures of stores and services are reported and become an exit code.
 * @throws Error for a bug
 */
export const runCommand = async (args: readonly string[], commandLine: CommandLine): Promise<ExitCode> => {
  const { io } = commandLine;
  const program = createProgram(commandLine);
  try {
    // Not a program option, which would shadow the one of `workflow get ID --version N`.
    if (args[0] === '--version') io.print(readVersion());
    else await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    return reportError(explainAwsError(error, program.opts(), io.env) ?? error, io);
  }
};

export const createProgram = ({ io, openTarget, ...loaders }: CommandLine): Command => {
  const program = new Command('hookloom')
    .description(
      'Manages workflows, node types, plugins, credentials, executions, requests and events of a Hookloom service.',
    )
    .usage('<command> [options]\n       hookloom --version')
    .option('--stage <name>', 'a deployed stage, using the AWS credentials of the environment', readStage)
    .option('--region <name>', 'its region')
    .option('--profile <name>', 'a profile of the AWS configuration')
    .option('--url <url>', "the API's address, if it is not in the outputs of the stage's stack", readUrl)
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', explainProgram())
    .configureHelp({ showGlobalOptions: true, formatHelp })
    .configureOutput({
      writeOut: (text) => io.print(text.trimEnd()),
      writeErr: (text) => io.note(text.trimEnd()),
      outputError: () => {}, // also thrown, and reported with all other errors
    })
    .exitOverride()
    .hook('preAction', (_program, command) =>
      checkOptions(command.optsWithGlobals(), command.parent?.name() === 'stage'),
    );
  const onTarget: CommandContext['onTarget'] = async (action) => {
    await action({ io, target: await openTarget(program.opts()) });
  };
  const context: CommandContext = { io, onTarget, ...loaders };
  addProjectCommands(program, context);
  addStageCommands(program, context);
  addWorkflowCommands(program, context);
  addFolderCommands(program, context);
  addNodeTypeCommands(program, context);
  addPluginCommands(program, context);
  addCredentialCommands(program, context);
  addVariableCommands(program, context);
  addStateCommands(program, context);
  addExecutionCommands(program, context);
  addBulkRetryCommands(program, context);
  addRequestCommands(program, context);
  addStatisticsCommand(program, context);
  addNoticeCommands(program, context);
  addApprovalCommands(program, context);
  addEventCommands(program, context);
  addConsoleCommands(program, context);
  addDoctorCommand(program, context);
  addCompletionCommand(program, io);
  addTo(program, context)('migrate', {
    about: 'rewrite data stored in the previous schema version',
    options: [['--dry-run', 'only count the items, by table and version'], JSON_OUTPUT],
    examples: ['migrate --dry-run'],
    failed: 'refused, failed or incomplete',
    run: async (onTarget, options) => (await import('./migrate-command.ts')).runMigration(options, onTarget),
  });
  return program;
};

const reportError = (error: unknown, io: Io): ExitCode => {
  if (error instanceof CommanderError) {
    // Help was already shown: on request, or because a group was named without a command.
    if (error.exitCode === 0) return EXIT.done;
    if (error.code === 'commander.help') return EXIT.usage;
  }
  const { message, exitCode, isUsage } = toCommandError(error);
  io.note(io.paint('red', message));
  if (isUsage) io.note('See --help.');
  return exitCode;
};

/** @throws Error if it is a bug */
const toCommandError = (error: unknown): CommandError => {
  if (error instanceof CommandError) return error;
  if (error instanceof CommanderError) return usageError(error.message.replace(/^error: /, ''));
  if (error instanceof ApiProblem) return new CommandError(linesOf(error).join('\n'));
  if (error instanceof ApiUnfound) return new CommandError(error.message);
  if (!isAppError(error)) throw error;
  const cause = error.cause instanceof Error ? ` (${error.cause.message || error.cause.name})` : '';
  return new CommandError(`${error.message}${cause}`);
};

const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

/** What the API says, then the problems that it found in a request, with their places. */
const linesOf = ({ message, members: { errors } }: ApiProblem): readonly string[] =>
  Array.isArray(errors)
    ? [
        message.replace(', see "errors"', ''),
        ...errors.map((found) =>
          isPlainObject(found) ? `  ${found.pointer}: ${found.detail}` : `  ${found}`,
        ),
      ]
    : [message];
