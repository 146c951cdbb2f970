import { readFileSync } from 'node:fs';
import { Command, CommanderError, Help } from 'commander';
import { isAppError } from '../lib/shared/errors.ts';
import { ApiProblem } from './admin-api.ts';
import { addApprovalCommands } from './approval-commands.ts';
import type { CommandContext } from './command-context.ts';
import { CommandError, EXIT, type ExitCode, explainAwsError, usageError } from './command-error.ts';
import { addCompletionCommand } from './completion-command.ts';
import { addCredentialCommands } from './credential-commands.ts';
import { addDoctorCommand } from './doctor-command.ts';
import { addEventCommands } from './event-commands.ts';
import { addExecutionCommands } from './execution-commands.ts';
import { ApiUnfound } from './find-api-url.ts';
import { addFolderCommands } from './folder-commands.ts';
import type { Io } from './io.ts';
import { type MigrationOptions, runMigration } from './migrate-command.ts';
import { addNodeTypeCommands } from './node-type-commands.ts';
import { addPluginCommands } from './plugin-commands.ts';
import { checkOptions, readStage, readUrl } from './read-arguments.ts';
import { addRequestCommands } from './request-commands.ts';
import { addSchemaCommand } from './schema-command.ts';
import type { OpenTarget } from './target.ts';
import { addWorkflowCommands } from './workflow-commands.ts';

export interface CommandLine extends Omit<CommandContext, 'onTarget'> {
  readonly openTarget: OpenTarget;
}

/**
 * Runs one command line. Mistakes of users and failures of stores and services are reported and become an exit code.
 * @throws Error for a bug
 */
export const run = async (args: readonly string[], commandLine: CommandLine): Promise<ExitCode> => {
  const { io } = commandLine;
  const program = createProgram(commandLine);
  try {
    // Not a program option, which would shadow the one of `workflow get ID --version N`.
    if (args[0] === '--version') io.print(readVersion());
    else await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    return report(explainAwsError(error, program.opts(), io.env) ?? error, io);
  }
};

const createProgram = ({ io, openTarget, ...loaders }: CommandLine): Command => {
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
    .addHelpText('after', NOTES)
    .configureHelp({ showGlobalOptions: true, formatHelp })
    .configureOutput({
      writeOut: (text) => io.print(text.trimEnd()),
      writeErr: (text) => io.note(text.trimEnd()),
      outputError: () => {}, // also thrown, and reported with all other errors
    })
    .exitOverride()
    .hook('preAction', (_program, command) => checkOptions(command.optsWithGlobals()));
  const onTarget: CommandContext['onTarget'] = async (action) => {
    const target = await openTarget(program.opts());
    try {
      await action({ io, target });
    } finally {
      target.close();
    }
  };
  const context: CommandContext = { io, onTarget, ...loaders };
  addWorkflowCommands(program, context);
  addFolderCommands(program, context);
  addNodeTypeCommands(program, context);
  addSchemaCommand(program, context);
  addPluginCommands(program, context);
  addCredentialCommands(program, context);
  addExecutionCommands(program, context);
  addRequestCommands(program, context);
  addApprovalCommands(program, context);
  addEventCommands(program, context);
  addDoctorCommand(program, context);
  addCompletionCommand(program, io);
  program
    .command('migrate')
    .description('rewrite data stored in the previous schema version')
    .option('--dry-run', 'only count the items, by table and version')
    .option('--json', 'print JSON')
    .action((options: MigrationOptions) =>
      onTarget(async ({ target }) => {
        const problem = await runMigration(options, { ...io, migrate: target.storedData.migrate });
        if (problem !== null) throw new CommandError(problem);
      }),
    );
  return program;
};

/** Lists the commands of all groups in the program's help; only for help, since suggestions use the same lists. */
const formatHelp = (command: Command, help: Help): string => {
  const { subcommandTerm } = help;
  return new Help().formatHelp(
    command,
    Object.assign(help, {
      visibleCommands: ({ commands }: Command) =>
        commands.flatMap((child) => (child.commands.length > 0 ? child.commands : child)),
      subcommandTerm: (child: Command) => `${child.parent?.name()} ${subcommandTerm(child)}`,
    }),
  );
};

const NOTES = `
Without --stage, commands go to the local service (npm start).

Examples:
  npm run -s cli -- workflow put workflows/hello.json
  npm run -s cli -- workflow history hello
  npm run -s cli -- deploy workflows --stage production --dry-run
  npm run -s cli -- node-type show httpRequest
  npm run -s cli -- schema --output workflows/workflow.schema.json
  npm run -s cli -- credential create orders-key --type apiKey > key.txt
  npm run -s cli -- credential create crm --type httpBearer --host crm.example.com
  npm run -s cli -- workflow list --stage production
  npm run -s cli -- execution list --status failed --from 2026-01-31
  npm run -s cli -- webhook listen orders
  npm run -s cli -- request list orders --verdict refused
  npm run -s cli -- event put events/triggers/upload.json
  npm run -s cli -- plugin create acme-chat
  npm run -s cli -- doctor --stage production

Environment:
  HOOKLOOM_PORT   the local service on this port, if several are running (default: the first one)
  AWS_REGION      the region of a stage, without --region; by default the region of the AWS profile
  AWS_PROFILE     the profile whose credentials are used, without --profile
  RETENTION_DAYS  how long the records of executions are kept that a command starts

Exit codes: 0 done, 1 refused or failed, 2 the command line is wrong, AWS credentials are missing, or doctor could not look.`;

const report = (error: unknown, io: Io): ExitCode => {
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
  if (error instanceof ApiProblem || error instanceof ApiUnfound) return new CommandError(error.message);
  if (!isAppError(error)) throw error;
  const cause = error.cause instanceof Error ? ` (${error.cause.message || error.cause.name})` : '';
  return new CommandError(`${error.message}${cause}`);
};

const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
