import { type Command, Help } from 'commander';
import { isInstalled, programName } from './local/project-folder.ts';

const OF_SERVICE = `
  HOOKLOOM_PORT            the local service on this port, if several are running (default: the first one)
  AWS_PROFILE, AWS_REGION  credentials and region of a stage, without --profile and --region
  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
                           credentials of a stage, without a profile or single sign-on`;

const OF_TERMINAL = `
  NO_COLOR                 no colours on a terminal
  COLUMNS                  the width of tables on a terminal`;

export interface Explained {
  /** What an exit code of 1 says; null if there is none. */
  readonly failed?: string | null;
  /** What an exit code of 2 says besides. */
  readonly unknown?: string;
  /** Whether the command calls no service. */
  readonly isOffline?: boolean;
}

/**
 * The end of a command's help: examples, environment and exit codes.
 *
 * @param examples - commands that run as printed, with `ID` for the id of an execution or a request, as a list prints it
 */
export const writeCommandHelp = (
  examples: readonly string[],
  { failed = 'refused, not found or failed', unknown, isOffline = false }: Explained = {},
): string => {
  const mistakes = [
    'the command line is wrong',
    ...(isOffline ? [] : ['AWS region or credentials are missing']),
    ...(unknown === undefined ? [] : [unknown]),
  ];
  const codes = ['0 done', ...(failed === null ? [] : [`1 ${failed}`]), `2 ${mistakes.join(', or ')}`];
  return `
Examples:
${examples.map((example) => `  ${programName()} ${example}`).join('\n')}

Environment:${isOffline ? '' : OF_SERVICE}${OF_TERMINAL}

Exit codes:
${codes.map((code) => `  ${code}`).join('\n')}`;
};

/** Lists the commands of all groups in the program's help; only for help, since suggestions use the same lists. */
export const formatHelp = (command: Command, help: Help): string => {
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

/** The end of the program's own help. */
export const explainProgram = (): string =>
  `
Without --stage, commands go to the local service (${isInstalled() ? 'npx hookloom start' : 'npm start'}).
${writeCommandHelp(PROGRAM_EXAMPLES, { unknown: 'doctor could not look' })}`;

const PROGRAM_EXAMPLES = [
  'init my-automations',
  'workflow put workflows/hello.json',
  'workflow history hello',
  'deploy workflows --stage production --dry-run',
  'node-type show httpRequest',
  'schema --output workflows/workflow.schema.json',
  'credential create orders-key --type apiKey > key.txt',
  'credential create crm --type httpBearer --host crm.example.com',
  'workflow list --stage production',
  'execution list --status failed --from 2026-01-31',
  'execution retry --workflow orders --failure-name HttpStatusError',
  'statistics --workflow orders --from 2026-01-31',
  'webhook listen orders',
  'request list orders --verdict refused',
  'event put events/triggers/upload.json',
  'plugin create acme-chat',
  'doctor --stage production',
];
